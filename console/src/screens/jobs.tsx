import { t } from "../lib/strings";

export default function Jobs() {
  return (
    <div class="screen">
      <header class="screen-head">
        <h1>{t("jobs.title")}</h1>
      </header>
    </div>
  );
}
