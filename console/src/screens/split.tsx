import type { ScreenProps } from "./index";
import { Stems, type Parting } from "./stems/screen";

const PARTING: Parting = {
  path: "stem-splits",
  screen: "split",
  title: "stems.split.title",
  text: "stems.split.text",
  begin: "stems.split.begin",
  stems: ["vocals", "drums", "bass", "other"],
};

export default function Split({ id }: ScreenProps) {
  return <Stems key={id} parting={PARTING} id={id} />;
}
