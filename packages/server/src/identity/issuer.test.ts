import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import type { OidcConfig } from "./config.ts";
import { createIssuer } from "./issuer.ts";

/** Starts an issuer on loopback that responds with `answer`, and counts the bytes read from it. */
async function issuer(answer: (path: string, response: ServerResponse, url: string) => unknown) {
  let taken = 0;
  const server = createServer((request, response) => {
    response.on("close", () => {
      taken = Math.max(taken, request.socket.bytesWritten);
    });
    void answer(request.url ?? "", response, url);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const oidc = { issuer: url, audience: "paraph", tenant: "acme" } as OidcConfig;
  return {
    issuer: createIssuer({ oidc, secret: async () => "", now: () => 0 }),
    closed: () => taken,
  };
}

async function flood(response: ServerResponse): Promise<void> {
  response.writeHead(200, { "content-type": "application/json" });
  response.write('{"issuer":"');
  const block = "x".repeat(1 << 16);
  while (!response.destroyed)
    if (!response.write(block)) await Promise.race([once(response, "drain"), once(response, "close")]);
}

function drip(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "application/json" });
  const timer = setInterval(() => response.write(" "), 50);
  response.on("close", () => clearInterval(timer));
}

const discovered = (response: ServerResponse, url: string) =>
  response.writeHead(200, { "content-type": "application/json" }).end(
    JSON.stringify({
      issuer: url,
      authorization_endpoint: `${url}/a`,
      token_endpoint: `${url}/t`,
      jwks_uri: `${url}/keys`,
      response_types_supported: ["code"],
      subject_types_supported: ["public"],
    }),
  );

const isDiscovery = (path: string) => path.includes("openid-configuration");
const header = { alg: "RS256", kid: "1" };
const unavailable = { code: "identity-unavailable" };
/** The maximum number of bytes that the issuer can send: the size limit plus the buffers of both sides. */
const maxTaken = 16 * 1024 * 1024;

describe("[TRUST 29] an issuer", () => {
  it("with an endless discovery document is disconnected at the size limit", async () => {
    const { issuer: it, closed } = await issuer((_, response) => flood(response));
    await expect(it.configuration()).rejects.toMatchObject(unavailable);
    await expect.poll(closed).toBeGreaterThan(1024 * 1024);
    expect(closed()).toBeLessThan(maxTaken);
  });

  it("with an endless key set is disconnected at the size limit", async () => {
    const { issuer: it, closed } = await issuer((path, response, url) =>
      isDiscovery(path) ? discovered(response, url) : flood(response),
    );
    await expect(it.keys(header as never, {} as never)).rejects.toMatchObject(unavailable);
    await expect.poll(closed).toBeGreaterThan(1024 * 1024);
    expect(closed()).toBeLessThan(maxTaken);
  });

  it.each(["discovery", "keys"])(
    "whose %s response never completes is treated as unavailable",
    async (which) => {
      const { issuer: it } = await issuer((path, response, url) =>
        which === "keys" && isDiscovery(path) ? discovered(response, url) : drip(response),
      );
      await expect(it.keys(header as never, {} as never)).rejects.toMatchObject(unavailable);
    },
  );

  it("that answers normally is used", async () => {
    const { issuer: it } = await issuer((path, response, url) =>
      isDiscovery(path)
        ? discovered(response, url)
        : response.writeHead(200, { "content-type": "application/json" }).end('{"keys":[]}'),
    );
    expect((await it.configuration()).serverMetadata().token_endpoint).toMatch(/\/t$/);
    await expect(it.keys(header as never, {} as never)).rejects.toMatchObject({
      code: "ERR_JWKS_NO_MATCHING_KEY",
    });
  });
});
