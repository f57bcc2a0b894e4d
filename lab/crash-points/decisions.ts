import type { Around } from "./scenario.ts";
import type { Begun, Story } from "./story.ts";

/**
 * All that people answer: yes, no, not like this; by two of them; about something that moves after the yes, is frozen
 * after it, edited, taken back, handed over, talked about, or known under another contract by the time it is performed.
 */
export function decisions(story: Story, world: Around): Promise<unknown>[] {
  const { begin, decide, end, approve, name, client } = story;
  return [
    begun(begin("approve", "asked.probe", { lock: name("gate") }), async (asked) => {
      await decide(asked, "approve");
      await end(asked);
    }),
    ...(["deny", "return"] as const).map((no) =>
      begun(begin(no, "asked.keyed"), async (asked) => {
        await decide(asked, no);
        await end(asked);
      }),
    ),
    begun(begin("paired", "paired.keyed"), (asked) => approve(asked, "approver", "second")),
    begun(begin("moved", "asked.keyed"), async (asked) => {
      await world.touch(name("moved"));
      await approve(asked, "approver");
    }),
    begun(begin("parked", "asked.none"), async (asked) => {
      const freeze = name("freeze");
      await world.freeze(freeze, "asked.none");
      await decide(asked, "approve");
      await story.look(asked, 1);
      await world.thaw(freeze);
      await end(asked);
    }),
    begun(begin("edited", "paired.keyed"), (asked) => edited(asked, story)),
    begun(begin("renewed", "renewed.keyed"), (asked) => renewed(asked, story)),
    begun(begin("withdrawn", "asked.keyed"), async (asked) => {
      await client.act("agent", { kind: "withdraw", call: asked.call });
      await end(asked);
    }),
    begun(begin("handed", "asked.keyed"), async (asked) => {
      const round = await story.asked(asked);
      if (round)
        await client.act("approver", {
          kind: "hand-over",
          approval: round.id,
          digest: round.digest,
          to: "second",
        });
      await approve(asked, "second");
    }),
    begun(begin("discussed", "asked.keyed"), async (asked) => {
      const { call, key } = asked;
      await client.act("approver", { kind: "say", call, as: "question", key: `${key}-q` });
      await client.act("agent", { kind: "say", call, as: "answer", key: `${key}-a` });
      await approve(asked, "approver");
    }),
  ];
}

/** A yes by one of the two who are needed, then an edit by the other: about the successor both are asked anew. */
async function edited(asked: Begun, story: Story): Promise<void> {
  await story.decide(asked, "approve");
  const round = await story.asked(asked);
  if (round) {
    const input = { name: `better-${story.name("edited")}` };
    await story.client.act("editor", { kind: "edit", approval: round.id, digest: round.digest, input });
  }
  await story.end(asked);
  const heir = await story.heir(asked);
  if (heir) await story.approve(heir, "approver", "second");
}

/** Approved under the contract that the API knows; the worker knows a later one, and has it asked again under that. */
async function renewed(asked: Begun, story: Story): Promise<void> {
  await story.approve(asked, "approver");
  const heir = await story.heir(asked);
  if (heir) await story.approve(heir, "approver");
}

const begun = async (call: Promise<Begun>, go: (call: Begun) => Promise<unknown>) => go(await call);
