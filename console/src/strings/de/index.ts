import shell from "./shell.json";
import ui from "./ui.json";
import signIn from "./sign-in.json";
import convert from "./convert.json";
import jobs from "./jobs.json";
import stems from "./stems.json";
import blend from "./blend.json";
import train from "./train.json";
import live from "./live.json";
import voices from "./voices.json";
import developers from "./developers.json";
import operators from "./operators.json";

export default { shell, ui, "sign-in": signIn, convert, jobs, stems, blend, train, live, voices, developers, operators };
