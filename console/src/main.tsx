import { render } from "preact";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/ui.css";
import "./styles/shell.css";
import { App } from "./app";
import { config } from "./lib/api";
import { resume } from "./lib/session";
import { language, speak } from "./lib/strings";
import { Problem } from "./ui/Problem";

async function start(root: HTMLElement): Promise<void> {
  await speak(language.value);
  try {
    const [server] = await Promise.all([config(), resume()]);
    render(<App config={server} />, root);
  } catch (error) {
    render(
      <main class="door">
        <Problem problem={error} />
      </main>,
      root,
    );
  }
}

const root = document.getElementById("app");
if (root !== null) void start(root);
