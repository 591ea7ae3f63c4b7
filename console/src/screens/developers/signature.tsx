import { useState } from "preact/hooks";
import { t } from "../../lib/strings";
import { Card } from "../../ui/Card";
import { Tabs } from "../../ui/Tabs";

const PYTHON = `import base64, hashlib, hmac, os, time

secret = base64.b64decode(os.environ["WEBHOOK_SECRET"].removeprefix("whsec_"))

def is_genuine(headers, body: bytes) -> bool:
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    wanted = base64.b64encode(hmac.new(secret, signed, hashlib.sha256).digest()).decode()
    given = [one.removeprefix("v1,") for one in headers["webhook-signature"].split()]
    is_fresh = abs(time.time() - int(headers["webhook-timestamp"])) < 300
    return is_fresh and any(hmac.compare_digest(wanted, one) for one in given)`;

const JAVASCRIPT = `import { createHmac, timingSafeEqual } from "node:crypto";

const secret = Buffer.from(process.env.WEBHOOK_SECRET.replace("whsec_", ""), "base64");

export function isGenuine(headers, body) {
  const hmac = createHmac("sha256", secret);
  const wanted = hmac.update(\`\${headers["webhook-id"]}.\${headers["webhook-timestamp"]}.\`).update(body).digest();
  const given = headers["webhook-signature"].split(" ").map((one) => Buffer.from(one.replace("v1,", ""), "base64"));
  const isFresh = Math.abs(Date.now() / 1000 - Number(headers["webhook-timestamp"])) < 300;
  return isFresh && given.some((one) => one.length === wanted.length && timingSafeEqual(one, wanted));
}`;

const CODE = { python: PYTHON, javascript: JAVASCRIPT };

/** How a receiver tells what comes from here from what anybody sends. */
export function CheckSignature() {
  const [tongue, setTongue] = useState<keyof typeof CODE>("python");
  return (
    <Card title={t("developers.signature.title")} text={t("developers.signature.text")}>
      <Tabs
        label={t("ui.same.language")}
        value={tongue}
        onChange={setTongue}
        tabs={[
          { id: "python", label: "Python" },
          { id: "javascript", label: "JavaScript" },
        ]}
      >
        <pre class="dev-code" tabIndex={0} role="region" aria-label={t("developers.signature.title")}>
          <code>{CODE[tongue]}</code>
        </pre>
      </Tabs>
    </Card>
  );
}
