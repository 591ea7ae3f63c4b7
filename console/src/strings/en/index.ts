import shell from "./shell.json";
import ui from "./ui.json";
import signIn from "./sign-in.json";
import convert from "./convert.json";
import separate from "./separate.json";
import split from "./split.json";
import blend from "./blend.json";
import voices from "./voices.json";
import jobs from "./jobs.json";
import developers from "./developers.json";
import operators from "./operators.json";

export default { shell, ui, "sign-in": signIn, convert, separate, split, blend, voices, jobs, developers, operators };
