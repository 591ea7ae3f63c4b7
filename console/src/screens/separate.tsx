import { t } from "../lib/strings";

export default function Separate() {
  return (
    <div class="screen">
      <header class="screen-head">
        <h1>{t("separate.title")}</h1>
      </header>
    </div>
  );
}
