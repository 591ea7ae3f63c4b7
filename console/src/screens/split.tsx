import { t } from "../lib/strings";

export default function Split() {
  return (
    <div class="screen">
      <header class="screen-head">
        <h1>{t("split.title")}</h1>
      </header>
    </div>
  );
}
