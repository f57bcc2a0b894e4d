import { defineAdapter } from "@paraph/core";
import { z } from "zod";
import { type Case, defineTrial } from "../trial.ts";
import { planted, plantedIn, rightPin } from "./planted.ts";
import { emptyShelf, ShelfFile } from "./shelf.ts";

const shelf = defineAdapter({
  kind: "shelf",
  config: z.strictObject({}),
  open: (_, { folder }) => {
    const capabilities = plantedIn(new ShelfFile(folder));
    return { capabilities: async () => capabilities };
  },
});

/** What is costly to ask is asked of those it is about, and of one that is sound. */
const cases = Object.entries(planted).map(([capability, fault]): Case => {
  const whole = capability === "shelf.sound";
  return {
    capability,
    input: { text: "a text", ...((whole || fault === "sensitive") && { pin: rightPin }) },
    move: ({ folder }) => new ShelfFile(folder).place(capability, "somebody else's"),
    crashes: whole || fault === "crash" ? 3 : 0,
    ...((whole || fault === "deadline") && {
      slow: { input: { text: "slow" }, deadlineMs: 150, graceMs: 500 },
    }),
    ...((whole || fault === "large") && { large: [{ text: "x".repeat(1024 * 1024) }] }),
  };
});

export default defineTrial({
  name: "shelf",
  adapter: shelf({}),
  reset: ({ folder }) => new ShelfFile(folder).write(emptyShelf),
  picture: async ({ folder }) => {
    const { items, stains } = await new ShelfFile(folder).read();
    return JSON.stringify({ items, stains }, undefined, 1);
  },
  cases,
});
