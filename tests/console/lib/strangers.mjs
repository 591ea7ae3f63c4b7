// Pages of other origins, as an attacker serves them. Another port of 127.0.0.1 is another origin, but the same site: cookies that keep to
// their site are sent along, so that only what else the server looks at stands between the page and the API.
import { createServer, request as send } from "node:http";
import { after } from "node:test";

async function listening(server) {
  await new Promise((go) => server.listen(0, "127.0.0.1", go));
  after(() => server.close());
  return `http://127.0.0.1:${server.address().port}`;
}

/** A page at an origin of its own; gives its address. */
export async function strangersPage(html = "<!doctype html><title>stranger</title>") {
  const server = createServer((_, answer) => {
    answer.setHeader("content-type", "text/html; charset=utf-8");
    answer.end(html);
  });
  return listening(server);
}

/** A server that notes the cookies of what is asked of it, whichever page asks; gives its address and the notes. */
export async function cookieTaker() {
  const cookies = [];
  const server = createServer((asked, answer) => {
    cookies.push(asked.headers.cookie ?? "");
    answer.end();
  });
  return { address: await listening(server), cookies };
}

/** A proxy that shows `target` under a prefix, such as `/voice`, which it takes away; gives the address with the prefix. */
export async function proxy(target, prefix) {
  const server = createServer((asked, answer) => {
    if (!asked.url.startsWith(`${prefix}/`)) {
      answer.statusCode = 404;
      answer.end();
      return;
    }
    const onward = new URL(asked.url.slice(prefix.length), target);
    const { method, headers } = asked;
    const passed = send(onward, { method, headers }, (given) => {
      answer.writeHead(given.statusCode, given.headers);
      given.pipe(answer);
    });
    passed.on("error", () => answer.destroy());
    asked.pipe(passed);
  });
  return (await listening(server)) + prefix;
}
