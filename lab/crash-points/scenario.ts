import type { LabClient } from "../client.ts";

/**
 * One of everything that a call can live through: read in place, each kind of idempotency, a refused and a lost attempt,
 * a yes, a no, no answer at all, a basis that moves after the yes, and a lock that two want.
 */
export async function scenario(
  client: LabClient,
  prefix: string,
  touch: (name: string) => Promise<void>,
): Promise<void> {
  const act = async (key: string, capability: string, input: { name: string; lock?: string }) => {
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
  ]);
}
