import { t } from "../lib/strings";

export default function Developers() {
  return (
    <div class="screen">
      <header class="screen-head">
        <h1>{t("developers.title")}</h1>
      </header>
    </div>
  );
}
