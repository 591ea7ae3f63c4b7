// Hears of jobs that have ended. The server must be told where this listens, and shows the secret then:
//
//     curl -H "$AUTH" --json '{"url": "http://this-machine:9000/"}' $API/webhooks
//     VOCALHOST_WEBHOOK_SECRET=whsec_... node webhook_receiver.mjs 9000
//
// An address within your own network must be allowed in the server's `webhook_allow_private`.

import { createServer } from "node:http";
import { verifyWebhook } from "../clients/typescript/dist/index.js"; // of the package: "vocalhost"

const LONGEST_BODY = 1 << 20;
const secret = process.env.VOCALHOST_WEBHOOK_SECRET;
// What was told before; a real receiver keeps it where it outlives the process.
const seen = new Set();

/** The body as it came: the signature is about these very bytes, not about what JSON makes of them. */
async function bodyOf(request) {
  const pieces = [];
  let length = 0;
  for await (const piece of request) {
    length += piece.length;
    if (length > LONGEST_BODY) throw new Error("the body is too long");
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

const server = createServer(async (request, response) => {
  let event;
  try {
    event = await verifyWebhook(await bodyOf(request), request.headers, secret);
  } catch (error) {
    console.log(`refused: ${error.message}`);
    response.writeHead(400).end();
    return;
  }
  // Answered first: a server that waits too long sends it again. Everything comes at least once, and may come twice.
  response.writeHead(204).end();
  if (seen.has(event.id)) return;
  seen.add(event.id);
  console.log(event.type, event.data.kind, event.data.id);
});
server.listen(Number(process.argv[2]), () => console.log(`listening on port ${server.address().port}`));
