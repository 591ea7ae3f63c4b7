//! The commands that lines for a shell call, without a shell.

/// The words of each command in lines for a shell, without quotes, comments and what is told of files and variables around it.
pub fn commands(lines: &str) -> Vec<Vec<String>> {
    let mut commands = vec![Vec::new()];
    let mut waiting = String::new();
    for line in lines.replace("\\\n", " ").lines() {
        waiting.push_str(line);
        waiting.push('\n');
        // A quote that is still open goes on in the next line.
        let Some(words) = shlex::split(&waiting) else {
            continue;
        };
        waiting.clear();
        for word in words {
            let ends = word.ends_with(';');
            let word = word.trim_end_matches(';');
            let is_between = ["|", "||", "&&", "&", "<", ">", ">>", ""].contains(&word);
            if let Some(last) = commands.last_mut().filter(|_| !is_between) {
                last.push(word.to_owned());
            }
            if is_between || ends {
                commands.push(Vec::new());
            }
        }
        commands.push(Vec::new());
    }
    assert!(waiting.is_empty(), "a quote stays open: {waiting}");
    commands.retain(|words| !words.is_empty());
    commands
}

/// The calls of a program among the commands of `lines`, from its name on: where a command begins, or behind a `--` of another.
pub fn calls(lines: &str, program: &str) -> Vec<Vec<String>> {
    let of_command = |words: Vec<String>| {
        let is_variable =
            |word: &&String| word.split_once('=').is_some_and(|(name, _)| is_name(name));
        let first = words.iter().take_while(is_variable).count();
        let behind = words.iter().position(|word| word == "--");
        let places = [Some(first), behind.map(|place| place + 1)];
        let is_it = |place: &usize| {
            let name = words.get(*place).and_then(|word| word.rsplit('/').next());
            name == Some(program)
        };
        let place = places.into_iter().flatten().find(is_it)?;
        let mut call = vec![program.to_owned()];
        call.extend_from_slice(&words[place + 1..]);
        Some(call)
    };
    commands(lines).into_iter().filter_map(of_command).collect()
}

fn is_name(word: &str) -> bool {
    let mut letters = word.chars();
    letters.all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_found_wherever_a_command_stands() {
        let lines = "A=1 ./vocalhost serve  # vocalhost no\nrec - | vocalhost live --voice 'Oak tree' > out &&\n\
                     vocalhost keys \\\n  list; cd vocalhost\nrunuser -u vocalhost -- vocalhost doctor\ntar xf vocalhost\n";
        let calls = calls(lines, "vocalhost");
        let calls: Vec<String> = calls.iter().map(|words| words[1..].join("|")).collect();
        assert_eq!(
            calls,
            ["serve", "live|--voice|Oak tree", "keys|list", "doctor"]
        );
    }

    #[test]
    fn a_quote_may_go_on_in_the_next_line() {
        assert_eq!(
            commands("say 'one\ntwo' three\nfour"),
            [vec!["say", "one\ntwo", "three"], vec!["four"]]
        );
    }
}
