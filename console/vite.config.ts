import { defineConfig, type Plugin } from "vite";

// `npm run dev` works against a running server: VOCALHOST_URL says where it is. One that has no console routes yet is helped along with
// VOCALHOST_KEY: the key goes with every request, and the two routes of the console that signing in needs are answered here.
const server = process.env.VOCALHOST_URL ?? "http://127.0.0.1:8080";
const key = process.env.VOCALHOST_KEY;

/** Answers the console's own routes while developing. */
function signedIn(): Plugin {
  const session = { id: "development", user: "admin", scopes: ["read", "write", "admin"], keyId: "development", expiresAt: null };
  let open = true;
  return {
    name: "signed-in",
    configureServer(dev) {
      dev.middlewares.use((request, response, next) => {
        const path = (request.url ?? "").split("?")[0];
        const answer = (status: number, body?: object) => {
          response.writeHead(status, { "content-type": status >= 400 ? "application/problem+json" : "application/json" });
          response.end(body === undefined ? undefined : JSON.stringify(body));
        };
        if (path === "/console/config.json") {
          answer(200, { version: "development", apiRoot: "api/v1", publicUrl: server, surface: "whole", firstStart: false });
        } else if (path === "/console/session") {
          if (request.method === "GET") {
            if (open) answer(200, session);
            else answer(401, { title: "Unauthorized", status: 401, code: "E_UNAUTHORIZED_ACCESS", detail: "There is no session.", errors: [] });
          } else if (request.method === "POST") {
            open = true;
            answer(201, session);
          } else {
            open = false;
            answer(204);
          }
        } else {
          next();
        }
      });
    },
  };
}

export default defineConfig({
  base: "./",
  plugins: key === undefined ? [] : [signedIn()],
  build: {
    target: "es2022",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    cssCodeSplit: true,
    chunkSizeWarningLimit: 300,
  },
  server: {
    host: "127.0.0.1",
    proxy: {
      "/api": { target: server, headers: key === undefined ? {} : { authorization: `Bearer ${key}` } },
      "/console": { target: server },
      "/readyz": { target: server },
      "/metrics": { target: server, headers: key === undefined ? {} : { authorization: `Bearer ${key}` } },
    },
  },
});
