import type { LabClient } from "../client.ts";

/** What others do meanwhile. */
export interface Around {
  /** Moves a name's basis in the outside world. */
  touch(name: string): Promise<void>;
  freeze(id: string, capability: string): Promise<void>;
  thaw(id: string): Promise<void>;
}

/** The grant that the scenario's calls may use: see `granted-…`. */
export const scenarioGrant = {
  ...{ id: "grant_scenario", capability: "asked.natural" },
  ...{ bounds: { name: { startsWith: "granted-" } }, countLeft: 1_000_000 },
} as const;

/**
 * One of everything that a call can live through: read in place, each kind of idempotency, a refused and a lost attempt,
 * a yes, a no, no answer at all, a basis that moves after the yes, a lock that two want, a check that passes and one that
 * does not, a yes given in advance, a budget, and a freeze between the yes and the act.
 */
export async function scenario(client: LabClient, prefix: string, world: Around): Promise<void> {
  const { touch } = world;
  const act = async (
    key: string,
    capability: string,
    input: { name: string; lock?: string; cents?: number },
  ) => {
    const { call } = await client.call(`${prefix}-${key}`, capability, input);
    return { key: `${prefix}-${key}`, capability, call: call ?? "" };
  };
  const end = async ({ key, capability, call }: Awaited<ReturnType<typeof act>>) => {
    for (;;) if ((await client.look(key, capability, call, 5)).state === "closed") return;
  };
  const decide = async (asked: Awaited<ReturnType<typeof act>>, decision: "approve" | "deny") => {
    const { waiting } = await client.look(asked.key, asked.capability, asked.call, 0);
    if (waiting?.approval) await client.decide(waiting.approval.id, decision, waiting.approval.digest);
  };
  const name = (what: string) => `${what}-${prefix}`;

  await Promise.all([
    act("read", "free.read", { name: name("read") }),
    ...(["natural", "keyed", "probe", "none"] as const).map(async (kind) =>
      end(await act(kind, `free.${kind}`, { name: name(kind) })),
    ),
    act("flaky", "free.keyed", { name: name("flaky") }).then(end),
    act("reset", "free.probe", { name: name("reset") }).then(end),
    act("expire", "quick.keyed", { name: name("expire") }).then(end),
    ...[1, 2].map(async (n) =>
      end(await act(`lock${n}`, "free.keyed", { name: name(`lock${n}`), lock: name("door") })),
    ),
    (async () => {
      const asked = await act("deny", "asked.keyed", { name: name("deny") });
      await decide(asked, "deny");
      await end(asked);
    })(),
    (async () => {
      const asked = await act("approve", "asked.probe", { name: name("approve"), lock: name("gate") });
      await decide(asked, "approve");
      await end(asked);
    })(),
    (async () => {
      const asked = await act("moved", "asked.keyed", { name: name("moved") });
      await touch(name("moved"));
      await decide(asked, "approve");
      for (
        let view = await client.look(asked.key, asked.capability, asked.call, 1);
        view.state !== "closed";
        view = await client.look(asked.key, asked.capability, asked.call, 1)
      ) {
        await decide(asked, "approve");
      }
    })(),
    act("checked", "checked.keyed", { name: name("checked") }).then(end),
    act("bad", "checked.keyed", { name: name("bad") }).then(end),
    act("granted", "asked.natural", { name: name("granted") }).then(end),
    ...(["keyed", "none"] as const).map(async (kind) =>
      end(await act(`costly-${kind}`, `costly.${kind}`, { name: name(`cheap-${kind}`), cents: 100 })),
    ),
    act("costly-flaky", "costly.probe", { name: name("flaky-costly"), cents: 100 }).then(end),
    (async () => {
      const asked = await act("parked", "asked.none", { name: name("parked") });
      await world.freeze(`freeze-${prefix}`, "asked.none");
      await decide(asked, "approve");
      await client.look(asked.key, asked.capability, asked.call, 1);
      await world.thaw(`freeze-${prefix}`);
      await end(asked);
    })(),
  ]);
}
