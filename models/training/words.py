"""Sentences for the speech programs: our own word list and our own patterns, the same for everyone.

The list was written for this project. It mixes everyday words of one to four syllables so that the phones of American
English all occur often, also those that are rare in prose (zh, oy, uh, th in both kinds).
"""

from __future__ import annotations

import random

NOUNS = """apple anchor autumn barrel basin beacon beggar blanket blossom bottle boulder branch bridge bucket butcher
cabin candle canyon captain carriage castle cattle cellar chamber channel cherry chimney church cloud coffee collar
cottage cotton courage cousin cushion daughter decision desert diamond dinner doctor donkey door dragon drawer eagle
earth echo engine evening eyebrow farmer father feather fiddle finger fire fountain fox garage garden gentleman ginger
glacier glove goose grape guitar hammer harbour hatchet hedge helmet hill honey hood horizon horse house hunter iceberg
idea island jacket jewel journey judge juice jungle kettle key kitchen kite ladder lagoon lantern leather lemon letter
library lighthouse lizard lobster log machine magpie market measure meadow medicine melody merchant mirage mirror monkey
moon morning mountain mouse mushroom needle neighbour night noise north nutmeg oath ocean oil onion orchard otter owl
oyster paddle palace parcel path peach pebble pencil pigeon pilot pleasure pocket poison pony potato pudding puddle
puzzle quarry queen question rabbit raisin razor reason ribbon river road rocket rooster rope saddle sailor salad
sausage
saw scissors season shadow sheep shepherd shoulder shovel silver sister skirt sky sleeve snow soap soldier song south
spider spoon squirrel stable station stone stove straw street sugar summer sun sweater table teacher telegram theatre
thimble thirst thumb thunder tiger toast tower town toy treasure tree trousers trumpet tunnel turkey uncle usual valley
vapour velvet vessel village vinegar violin vision voice wagon wall walnut water weather wheel whisper willow window
winter wolf wood wool yard yellow youth zebra zone""".split()
ADJECTIVES = """ancient angry azure beautiful big black blue bold brave bright broken brown busy calm careful cheap
clean
clever cold cool crooked curious damp dark deep distant dry dull early easy eager empty enormous faint fair famous fast
fierce firm fresh friendly full gentle glad golden good great green grey happy harsh heavy high hollow huge humble
hungry
idle jolly joyful kind large late lazy little long loud low lucky mild modern narrow nervous new noisy odd old open
ordinary pale patient perfect plain polite proud pure quick quiet rare red rich rough round royal rude sad safe secret
sharp shiny short shy silent simple sleepy slow small smooth soft sour square steep still strange strong sudden sweet
tall thick thin tidy tiny tired tough true ugly useful vague various warm weak wealthy wet white whole wide wild wise
wooden worthy wrong yellow young""".split()
VERBS = """answers beckons bends borrows bothers breathes brings builds buys calls carries catches changes chases
chooses
climbs closes colours counts covers crosses cuts digs draws drinks drops enjoys explores fetches fills finds fixes
follows
forgets gathers gives grows guards guides hears helps hides holds hurries imagines joins jumps keeps kicks knows laughs
leads leaves lifts loses loves makes measures meets mends mixes moves notices obeys opens paints passes pays picks
pleases
plays points polishes pulls pushes puts questions reaches reads remembers repairs rings rolls rubs runs says sees sells
sends shakes shares shows sings smells sounds spoils stands steals stirs stretches studies takes teaches tells thanks
throws touches trades turns understands uses visits waits wakes wants warms washes watches wears weighs welcomes wins
wishes wraps writes yields""".split()
PREPOSITIONS = """above across after against along among around before behind below beneath beside beyond by from inside
into near of off on onto over past through towards under upon with within without""".split()
STARTS = "the a this that every another our your his her their my each some".split()
ADVERBS = """again almost already always badly boldly often calmly closely daily early easily even far gladly hardly
here
highly joyfully just later loudly nearly never now once only quickly quietly rarely really seldom slowly sometimes soon
there though thus today together tomorrow twice usually very well yesterday""".split()


def sentence(random_source: random.Random) -> str:
    """One sentence of 7 to 13 words; some have a comma, some ask a question."""
    pick = random_source.choice

    def thing() -> str:
        return " ".join(
            [pick(STARTS), pick(ADJECTIVES), pick(NOUNS)]
            if random_source.random() < 0.6
            else [pick(STARTS), pick(NOUNS)]
        )

    patterns = [
        lambda: f"{thing()} {pick(VERBS)} {thing()} {pick(PREPOSITIONS)} {thing()}",
        lambda: f"{pick(ADVERBS)}, {thing()} {pick(VERBS)} {pick(PREPOSITIONS)} {thing()} {pick(ADVERBS)}",
        lambda: f"why {pick(VERBS)} {thing()} {pick(PREPOSITIONS)} {thing()}, and who {pick(VERBS)} {pick(ADVERBS)}?",
        lambda: f"{pick(PREPOSITIONS)} {thing()} {thing()} {pick(ADVERBS)} {pick(VERBS)} {thing()}",
    ]
    text = pick(patterns)()
    return text[0].upper() + text[1:] + ("" if text.endswith("?") else ".")


def sentences(seed: int, count: int) -> list[str]:
    """`count` sentences, the same for the same seed on every machine."""
    random_source = random.Random(seed)
    return [sentence(random_source) for _ in range(count)]
