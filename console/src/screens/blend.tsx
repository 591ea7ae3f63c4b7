import { t } from "../lib/strings";

export default function Blend() {
  return (
    <div class="screen">
      <header class="screen-head">
        <h1>{t("blend.title")}</h1>
      </header>
    </div>
  );
}
