import type { Json, JsonObject, Principal, Question } from "@paraph/core";
import type { SeededRandom } from "@paraph/core/testing";
import { z } from "zod";
import { groupNames, nastyTexts, policyIds, principalNames } from "./random-policies.ts";
import { createContract } from "./sample-contracts.ts";

/** The capability of the random questions. Names such as `constructor` must not be taken for those of JavaScript. */
export const randomContract = createContract("lab.act", {
  risk: "high",
  input: z.object({
    text: z.string(),
    constructor: z.string(),
    "a b": z.string().optional(),
    cents: z.int(),
    if: z.int().optional(),
    flag: z.boolean(),
    toString: z.boolean().optional(),
    tags: z.array(z.string()),
    numbers: z.array(z.int()).optional(),
    nested: z.array(z.array(z.string())).optional(),
    rows: z.array(z.object({ country: z.string() })).optional(),
    customer: z.object({ country: z.string(), age: z.int().optional() }),
  }),
});

const longs = [0, 1, 2, 7, 17, 18, 100, -1, -100, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER];

export class QuestionGenerator {
  readonly #random: SeededRandom;

  constructor(random: SeededRandom) {
    this.#random = random;
  }

  question(): Question {
    const preview = {
      changes: this.#list(() => ({ kind: "update" as const, target: this.#text(), ...this.#details() })),
      basis: {},
    };
    return {
      principal: this.#principal(),
      contract: randomContract,
      input: this.#input(),
      preview: this.#chance(0.6) ? preview : undefined,
      discharged: this.#list(() => this.#random.pick(policyIds)),
      env: {
        at: Date.UTC(2026, 10, 16) + Math.floor(this.#random.chance() * 7 * 86_400_000),
        callsLastHour: this.#below(10),
        callsLastDay: this.#below(100),
        deniedLastHour: this.#below(3),
        spentToday: this.#below(1_000),
      },
    };
  }

  #principal(): Principal {
    const person = () => this.#random.pick(principalNames);
    return {
      tenant: this.#random.pick(["acme", "acme", "other"]),
      id: person(),
      kind: this.#random.pick(["agent", "agent", "person", "service"]),
      groups: this.#list(() => this.#random.pick(groupNames)),
      ...(this.#chance(0.6) && { owner: person() }),
      ...(this.#chance(0.3) && { onBehalfOf: person() }),
    };
  }

  #input(): Json {
    return {
      text: this.#text(),
      constructor: this.#text() as never,
      cents: this.#random.pick(longs),
      flag: this.#chance(0.5),
      tags: this.#list(() => this.#text()),
      customer: {
        country: this.#random.pick(["DE", "XX"]),
        ...(this.#chance(0.5) && { age: this.#random.pick(longs) }),
      },
      ...(this.#chance(0.5) && { "a b": this.#text() }),
      ...(this.#chance(0.5) && { if: this.#random.pick(longs) }),
      ...(this.#chance(0.5) && { toString: this.#chance(0.5) as never }),
      ...(this.#chance(0.5) && { numbers: this.#list(() => this.#random.pick(longs)) }),
      ...(this.#chance(0.3) && { nested: this.#list(() => this.#list(() => this.#text())) }),
      ...(this.#chance(0.3) && { rows: this.#list(() => ({ country: this.#text() })) }),
    };
  }

  #details(): { readonly details?: JsonObject } {
    return this.#chance(0.5) ? { details: { rows: this.#below(10) } } : {};
  }

  #text(): string {
    return this.#random.pick(nastyTexts);
  }

  #list<T>(create: () => T): T[] {
    return Array.from({ length: this.#below(4) }, create);
  }

  #below(count: number): number {
    return Math.floor(this.#random.chance() * count);
  }

  #chance(share: number): boolean {
    return this.#random.chance() < share;
  }
}
