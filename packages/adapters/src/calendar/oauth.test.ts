// Access tokens of a real authorization server, for Radicale behind a proxy that verifies them.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import type { Json } from "@paraph/core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { hasProgram } from "../../../../test/support/optional-programs.ts";
import { OauthServer, oauthClient } from "../../../../test/support/web/oauth-server.ts";
import {
  createCredentialContext,
  openTestAdapter,
  type TestAdapter,
} from "../egress/testing/open-adapter.ts";
import { parseTestInput, readFault } from "../testing.ts";
import { caldav } from "./index.ts";
import { type BearerProxy, startBearerProxy } from "./testing/bearer-proxy.ts";
import { createTestConfig, listTestEvents, resetTestCalendars, startTestServer } from "./testing/fixture.ts";
import { isRadicaleInstalled, type Radicale } from "./testing/radicale.ts";

const dinner = { calendar: "ana", title: "Dinner", start: "2026-11-20T20:00" };
const november = { calendar: "ana", from: "2026-11-01", to: "2026-11-30" };

describe.skipIf(!hasProgram(isRadicaleInstalled, "Radicale", "apt-get install radicale"))(
  "calendars with `oauth`",
  () => {
    let issuer: OauthServer;
    let radicale: Radicale;
    let proxy: BearerProxy;
    let folder: string;
    let login: { CLIENT_SECRET: string; REFRESH_TOKEN: string };
    let api: TestAdapter;

    beforeAll(async () => {
      [issuer, radicale] = await Promise.all([OauthServer.start(), startTestServer()]);
      proxy = await startBearerProxy(radicale, async (token) => (await issuer.findAccount(token)) === "ana");
    });
    beforeEach(async () => {
      await resetTestCalendars(radicale);
      folder = await mkdtemp(join(tmpdir(), "paraph-calendar-oauth-"));
      login = { CLIENT_SECRET: oauthClient.secret, REFRESH_TOKEN: await issuer.logIn("ana") };
      api = await open();
    });
    afterEach(async () => {
      issuer.tokenLifetimeSeconds = 3_600;
      issuer.respond = undefined;
      proxy.afterWrite = undefined;
      proxy.refusalStatus = 401;
      await api[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    });
    afterAll(async () => {
      for (const each of [proxy, radicale, issuer]) await each?.[Symbol.asyncDispose]();
    });

    function open(): Promise<TestAdapter> {
      const url = (calendar: string) => `http://${proxy.host}/paraph/${calendar}/`;
      const oauth = {
        tokenUrl: issuer.tokenUrl,
        clientId: oauthClient.id,
        // biome-ignore-start lint/suspicious/noTemplateCurlyInString: this is how a configuration names a secret.
        clientSecret: "${CLIENT_SECRET}",
        refreshToken: "${REFRESH_TOKEN}",
        // biome-ignore-end lint/suspicious/noTemplateCurlyInString: this is how a configuration names a secret.
      };
      const config = {
        ...createTestConfig({ host: proxy.host, url }),
        ...{ credential: { oauth }, allow: [proxy.host, issuer.host] },
      };
      return openTestAdapter(caldav(config), folder, login);
    }

    const events = (from = api) => readFault(from.perform("events", november));

    it("reads and changes calendars with one access token, and refreshes it when it has expired", async () => {
      issuer.tokenRequests = 0;
      expect(await api.health()).toEqual({ kind: "well" });
      await api.perform("schedule", dinner);
      expect(issuer.tokenRequests).toBe(1);
      expect(await listTestEvents(radicale)).toContain("SUMMARY:Dinner");

      // Too short for a second use, because Paraph replaces a token a minute before its expiry. The server replaces
      // the refresh token with each answer.
      issuer.tokenLifetimeSeconds = 45;
      await using other = await open();
      expect([await events(other), await events(other)]).toEqual(["no fault", "no fault"]);
      expect(issuer.tokenRequests).toBe(3);
    });

    it("[P8] replaces a revoked access token in the same attempt", async () => {
      issuer.tokenRequests = 0;
      expect(await events()).toBe("no fault");
      await issuer.revokeAccessTokens();
      expect(await readFault(api.perform("schedule", dinner))).toBe("no fault");
      expect(issuer.tokenRequests).toBe(2);
    });

    it("[P8] refuses a login that the authorization server or the calendar server refuses", async () => {
      login = { ...login, REFRESH_TOKEN: await issuer.logIn("bo") };
      await using other = await open();
      expect(await readFault(other.perform("schedule", dinner))).toBe("permanent token-refused");
      expect(await other.health()).toMatchObject({ kind: "degraded", code: "token-refused" });
      login = { ...login, REFRESH_TOKEN: "no such token" };
      await using stranger = await open();
      expect(await events(stranger)).toBe("permanent oauth-refused");
      expect(await stranger.health()).toMatchObject({
        code: "oauth-refused",
        message: expect.stringContaining("`invalid_grant`"),
      });
      issuer.respond = (response) => response.destroy();
      expect(await events(stranger)).toBe("not-performed oauth-unavailable");
      expect(await listTestEvents(radicale)).not.toContain("Dinner");
    });

    it("[P7] [P8] a login that ends after the write leaves the outcome to the probe, which finds the event", async () => {
      const capability = api.capability("schedule");
      const input = parseTestInput(capability, dinner as Json);
      const context = createCredentialContext(async (name) => login[name as keyof typeof login]);
      const { basis } = await capability.preview!(input, context);
      proxy.afterWrite = async () => {
        await issuer.revokeAccessTokens();
        issuer.respond = (response) => response.destroy();
      };
      const fault = await readFault(capability.apply(input, { ...context, basis }));
      expect(fault).toBe("ambiguous oauth-unavailable");
      issuer.respond = undefined;
      const found = await capability.probe!(input, { ...context, basis, attempt: 2 });
      expect(found).toMatchObject({ kind: "present", output: { start: "2026-11-20T20:00" } });
    });

    it("[P10] [TRUST 16] no fault, output or health contains a token", async () => {
      const said: unknown[] = [await api.perform("events", november)];
      login = { ...login, REFRESH_TOKEN: await issuer.logIn("bo") };
      await using other = await open();
      said.push(await other.perform("events", november).catch((error) => error), await other.health());
      proxy.refusalStatus = 403;
      said.push(await other.perform("events", november).catch((error) => error));
      const text = inspect(said, { depth: 20, maxStringLength: null });
      expect(text).toContain("token-refused");
      expect(text).toContain("The token ••• is not valid");
      expect(issuer.accessTokens.length).toBeGreaterThan(1);
      for (const secret of [...issuer.accessTokens, ...Object.values(login)])
        expect(text).not.toContain(secret);
    });
  },
);
