import { t } from "../lib/strings";

export default function Voices() {
  return (
    <div class="screen">
      <header class="screen-head">
        <h1>{t("voices.title")}</h1>
      </header>
    </div>
  );
}
