import { expect, it } from "vitest";
import { respondJson, TestHttpServer } from "../egress/testing/http-server.ts";
import { createCredentialContext, openTestAdapter } from "../egress/testing/open-adapter.ts";
import { openapi } from "./index.ts";

/** A host with one deal, which answers as HubSpot documents it. */
async function openHubSpot() {
  const host = await new TestHttpServer().open();
  const deal = { id: "42", properties: { dealname: "Ten chairs", dealstage: "appointmentscheduled" } };
  host.respond = ({ method, body }, response) => {
    if (method === "PATCH") Object.assign(deal.properties, JSON.parse(body).properties);
    respondJson(response, method === "POST" ? 201 : 200, deal);
  };
  const api = await openTestAdapter(
    // biome-ignore lint/suspicious/noTemplateCurlyInString: this is how a configuration names a secret.
    openapi({ shipped: "hubspot-crm", server: host.origin, allow: [host.host], credential: "${CRM_KEY}" }),
    ".",
    { CRM_KEY: "pat-1" },
  );
  return {
    host,
    api,
    [Symbol.asyncDispose]: async () => {
      await api[Symbol.asyncDispose]();
      await host.close();
    },
  };
}

it("the shipped document hubspot-crm creates a deal that is linked with a contact", async () => {
  await using hubspot = await openHubSpot();
  const body = {
    properties: { dealname: "Ten chairs", amount: "1200.00", pipeline: "default" },
    associations: [
      { to: { id: "7" }, types: [{ associationCategory: "HUBSPOT_DEFINED", associationTypeId: 3 }] },
    ],
  };
  expect(await hubspot.api.perform("create_deal", { body })).toMatchObject({
    status: 201,
    body: { id: "42" },
  });
  const [request, ...others] = hubspot.host.requests;
  expect(others).toEqual([]);
  expect(request).toMatchObject({ method: "POST", path: "/crm/v3/objects/deals" });
  expect(request!.headers.authorization).toBe("Bearer pat-1");
  expect(JSON.parse(request!.body)).toEqual(body);
});

it("[P3] the shipped document hubspot-crm shows a change of a deal before it makes the change", async () => {
  await using hubspot = await openHubSpot();
  const { api, host } = hubspot;
  const input = { dealId: "42", properties: ["dealstage"], body: { properties: { dealstage: "closedwon" } } };
  const context = createCredentialContext(async () => "pat-1");
  const { changes } = await api.capability("update_deal").preview!(input, context);
  expect(changes[0]!.diff).toMatch(/-.*"appointmentscheduled".*\+.*"closedwon"/s);
  expect(host.requests.map(({ method }) => method)).toEqual(["GET"]);

  const output = await api.perform("update_deal", input);
  expect(output).toMatchObject({ status: 200, body: { properties: { dealstage: "closedwon" } } });
  const path = "/crm/v3/objects/deals/42?properties=dealstage";
  expect(host.requests.at(-1)).toMatchObject({ method: "PATCH", path });
});
