import type { Contract, Principal } from "@paraph/core";
import { expect, it } from "vitest";
import { watchActiveFreezes } from "./active-freezes.ts";

const agent = { tenant: "acme", id: "bot" } as Principal;
const contract = { name: "shop.refund" } as Contract;
const freeze = { id: "freeze_1", tenant: "acme", kind: "principal", subject: "bot" } as const;

/** The longest interval of a timer, so that these tests read only when they ask. */
const never = 2 ** 31 - 1;

/** Watches a list that the test changes. `pause` holds back what is read from then on. */
async function watch() {
  const list: (typeof freeze)[] = [freeze];
  let reads = 0;
  let opened: Promise<void> | undefined;
  const freezes = await watchActiveFreezes(
    async () => {
      reads += 1;
      const found = [...list];
      await opened;
      return found;
    },
    () => {},
    never,
  );
  return {
    freezes,
    list,
    reads: () => reads,
    pause: () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      opened = promise;
      return resolve;
    },
    [Symbol.dispose]: () => freezes.stop(),
  };
}

it("[TRUST 25] a freeze that was just lifted refuses nothing, though this process polled before", async () => {
  using watched = await watch();
  expect(await watched.freezes.inForce(agent, contract)).toEqual({ id: "freeze_1", kind: "principal" });
  watched.list.pop();
  expect(await watched.freezes.inForce(agent, contract)).toBeUndefined();
});

it("[TRUST 25] a freeze holds if the database cannot be read again", async () => {
  let works = true;
  const problems: string[] = [];
  const freezes = await watchActiveFreezes(
    async () => {
      if (!works) throw new Error("no connection");
      return [freeze];
    },
    (code) => problems.push(code),
    never,
  );
  works = false;
  expect(await freezes.inForce(agent, contract)).toEqual({ id: "freeze_1", kind: "principal" });
  expect(problems).toEqual(["freezes-unread"]);
  freezes.stop();
});

it("many refused calls share a read that begins after they asked", async () => {
  using watched = await watch();
  const before = watched.reads();
  const proceed = watched.pause();
  const first = watched.freezes.inForce(agent, contract);
  await expect.poll(watched.reads).toBe(before + 1);
  // These calls come after the thaw. The read that is under way may have begun before it.
  watched.list.pop();
  const later = Array.from({ length: 20 }, () => watched.freezes.inForce(agent, contract));
  proceed();
  expect(await first).toBeDefined();
  expect(await Promise.all(later)).toEqual(Array.from({ length: 20 }, () => undefined));
  expect(watched.reads()).toBe(before + 2);
});
