import { t } from "../lib/strings";

export default function Convert() {
  return (
    <div class="screen">
      <header class="screen-head">
        <h1>{t("convert.title")}</h1>
      </header>
    </div>
  );
}
