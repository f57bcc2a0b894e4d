import { expect, it } from "vitest";
import type { Json } from "../json.ts";
import type { Principal } from "../principal.ts";
import { createTestSigner } from "../testing/test-signer.ts";
import { type IntentRecord, isIntentSealed, sealIntent } from "./intent-record.ts";

const sealer = await createTestSigner();
const agent: Principal = { tenant: "acme", id: "agent", kind: "agent", groups: [], owner: "ana" };
const plan = { version: 1, steps: [{ id: "1", capability: "files.delete", input: { path: "a" } }] };
const record: IntentRecord = { words: "delete a", understoodBy: { kind: "grammar", version: 1 }, at: 1_000 };

it("[TRUST 35] the seal of a plan's words holds for this requester, this plan and these words", () => {
  const sealed = sealIntent(agent, plan, record, sealer);
  expect(sealed).toEqual({ ...record, seal: expect.any(String) });
  expect(isIntentSealed(agent, plan, sealed, sealer)).toBe(true);
  const other: Json = { ...plan, steps: [] };
  expect(isIntentSealed(agent, other, sealed, sealer)).toBe(false);
  for (const change of [{ id: "other" }, { tenant: "other" }, { onBehalfOf: "ana" }])
    expect(isIntentSealed({ ...agent, ...change }, plan, sealed, sealer)).toBe(false);
  for (const change of [
    { words: "delete b" },
    { at: 2_000 },
    { understoodBy: { kind: "model", model: "m", promptVersion: 1 } },
    { answers: [{ step: 1, field: "path", value: "b" }] },
    { seal: "00" },
  ] as const)
    expect(isIntentSealed(agent, plan, { ...sealed, ...change }, sealer)).toBe(false);
});
