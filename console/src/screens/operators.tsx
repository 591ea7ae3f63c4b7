import { t } from "../lib/strings";

export default function Operators() {
  return (
    <div class="screen">
      <header class="screen-head">
        <h1>{t("operators.title")}</h1>
      </header>
    </div>
  );
}
