import { bytes, when } from "../../lib/format";
import { language, t } from "../../lib/strings";
import type { EffectParameter, InstalledEffect } from "../../lib/types";
import { Card } from "../../ui/Card";
import { Icon } from "../../ui/Icon";
import { Table } from "./list";

const MIB = 1 << 20;

/** What the server found when it looked at an effect, and what the effect says about itself. */
export function Report({ of: effect }: { of: InstalledEffect }) {
  const { limits, overrides, parameters, presets, layouts } = effect;
  const own = overrides.memoryBytes !== null || overrides.workPerAudio !== null;
  const plain = (value: number) => value.toLocaleString(language.value, { maximumFractionDigits: 2 });
  const bounds = { memory: `${plain(limits.memoryBytes / MIB)} MiB`, work: plain(limits.workPerAudio) };
  return (
    <Card
      class="ops-report"
      title={t("operators.report.title", { name: effect.name, version: effect.version })}
      text={effect.summary}
      actions={<span class={`badge ${effect.enabled ? "success" : ""}`}>{t(effect.enabled ? "operators.effects.enabled" : "operators.effects.disabled")}</span>}
    >
      {effect.origin === "installed" && (
        <ul class="ops-checks">
          {[
            t("operators.report.compiled", { size: bytes(effect.bytes) }),
            t("operators.report.described", {
              parameters: t("operators.report.parameters", { n: parameters.length }),
              presets: t("operators.report.presets", { n: presets.length }),
            }),
            t("operators.report.heard", bounds),
          ].map((text) => (
            <li key={text} class="up">
              <Icon name="check" size={18} /> <span>{text}</span>
            </li>
          ))}
        </ul>
      )}
      <dl class="facts">
        <dt>{t("operators.report.id")}</dt>
        <dd class="ops-break">
          <code>{effect.id}</code>
        </dd>
        {effect.alias !== null && (
          <>
            <dt>{t("operators.report.alias")}</dt>
            <dd>
              <code>{effect.alias}</code>
            </dd>
          </>
        )}
        <dt>{t("operators.report.vendor")}</dt>
        <dd class="ops-break">{effect.vendor}</dd>
        <dt>{t("operators.report.layouts")}</dt>
        <dd>{layouts.length === 0 ? t("operators.report.anyLayout") : layouts.map((one) => t("operators.report.layout", { inputs: one.inputs, outputs: one.outputs })).join(" · ")}</dd>
        {effect.tags.length > 0 && (
          <>
            <dt>{t("ui.voice.tags")}</dt>
            <dd class="ops-break">{effect.tags.join(", ")}</dd>
          </>
        )}
        {presets.length > 0 && (
          <>
            <dt>{t("ui.chain.presets")}</dt>
            <dd>{presets.map((one) => one.name).join(", ")}</dd>
          </>
        )}
        <dt>{t("operators.report.limits")}</dt>
        <dd>
          {t("operators.report.bounds", bounds)} {own && <span class="muted">{t("operators.report.own")}</span>}
        </dd>
        <dt>{t("operators.report.installed")}</dt>
        <dd>{when(effect.installedAt)}</dd>
        <dt>SHA-256</dt>
        <dd class="ops-break">
          <code>{effect.digest.replace(/^sha256:/, "")}</code>
        </dd>
      </dl>
      {parameters.length > 0 && (
        <details class="more">
          <summary>{t("operators.report.parameters", { n: parameters.length })}</summary>
          <Table
            label={t("operators.report.parameters", { n: parameters.length })}
            rows={parameters}
            keyOf={(one) => one.id}
            columns={[
              {
                label: t("operators.report.parameter"),
                cell: (one) => (
                  <span class="ops-lines">
                    <strong>{one.name}</strong>
                    <span class="muted small ops-break">{one.summary}</span>
                  </span>
                ),
              },
              { label: t("operators.report.id"), cell: (one) => <code>{one.id}</code> },
              { label: t("operators.report.values"), cell: (one) => values(one, plain) },
              { label: t("operators.report.default"), cell: (one) => String(one.default) },
            ]}
          />
        </details>
      )}
    </Card>
  );
}

function values(one: EffectParameter, plain: (value: number) => string): string {
  if (one.type === "toggle") return t("operators.report.toggle");
  if (one.type === "choice") return (one.options ?? []).map((option) => option.name).join(", ");
  return t("operators.report.range", { min: plain(one.min ?? 0), max: plain(one.max ?? 1), unit: one.unit ?? "" });
}
