import type { ScreenProps } from "./index";
import { Stems, type Parting } from "./stems/screen";

const PARTING: Parting = {
  path: "vocal-separations",
  screen: "separate",
  title: "stems.separate.title",
  text: "stems.separate.text",
  begin: "stems.separate.begin",
  stems: ["vocals", "harmony", "reverb", "backing"],
};

export default function Separate({ id }: ScreenProps) {
  return <Stems key={id} parting={PARTING} id={id} />;
}
