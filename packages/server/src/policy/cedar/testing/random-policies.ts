import type { SeededRandom } from "@paraph/core/testing";
import {
  formatAttribute,
  formatAttributeName,
  formatEntity,
  formatPattern,
  quoteCedar,
} from "../rules/cedar-text.ts";

/** Texts that implementations treat differently: escapes, wildcards, surrogate pairs, combining and control characters. */
export const nastyTexts = [
  ...["", "a", "A", "ab", "aab", "abab", "*", "a*b", "\\", '"', "1", "true", "/srv/a", "/srv/ab/a"],
  ...["é", "e\u0301", "ß", "😀", "😀😀", "a😀", "\u0000", "\n", "\ufffd", "\uffff", "\u202e", "İ"],
  ...["__proto__", "constructor", "toString", "x".repeat(90)],
];
export const groupNames = ["staff", "finance", "constructor", ""];
export const principalNames = ["helper", "anna", "anybody", "😀"];
export const policyIds = ["p0", "p1", "p2", "p3", "p4"];
/** The fields of the input that `random-questions.ts` generates. */
export const inputFields = {
  text: ["text", "constructor", "a b"],
  long: ["cents", "if"],
  bool: ["flag", "toString"],
  set: ["tags", "numbers", "nested", "rows"],
  record: ["customer"],
};

type Kind = "bool" | "long" | "text" | "set" | "entity" | "record";
const kinds: readonly Kind[] = ["bool", "long", "text", "set", "entity", "record"];
const longs = [
  ...["0", "1", "-1", "2", "7", "100", "-100", "9007199254740991", "-9007199254740991", "9007199254740990"],
  ...["9007199254740993", "9223372036854775807", "-9223372036854775808", "4611686018427387904"],
];

/** Generates random policies, most of them free of type errors. */
export class PolicyGenerator {
  readonly #random: SeededRandom;

  constructor(random: SeededRandom) {
    this.#random = random;
  }

  policies(): string {
    const count = 1 + Math.floor(this.#random.chance() * policyIds.length);
    return policyIds
      .slice(0, count)
      .map((id) => this.#policy(id))
      .join("\n");
  }

  #policy(id: string): string {
    const { chance, pick } = this;
    const isGuard = chance(0.2);
    const effect = isGuard || chance(0.4) ? "forbid" : "permit";
    const notes = isGuard ? '@ruling("ask") @quorum("1") @urgency("high")' : chance(0.3) ? "@unattended" : "";
    const conditions = Array.from(
      { length: Math.floor(this.#random.chance() * 3) },
      () => `${pick(["when", "when", "unless"])} { ${this.#expression("bool", 4)} }`,
    );
    if (isGuard) conditions.push(`unless { context.evidence.discharged.contains("${id}") }`);
    const scope = [this.#principalScope(), this.#actionScope(), this.#resourceScope()].join(", ");
    return `@id("${id}") ${notes} ${effect} (${scope}) ${conditions.join(" ")};`;
  }

  readonly chance = (share: number): boolean => this.#random.chance() < share;
  readonly pick = <T>(items: readonly T[]): T => this.#random.pick(items);

  #principalScope(): string {
    const form = this.pick(["", "", "", "==", "in", "is", "is in"]);
    if (form === "==") return `principal == ${this.#entityLiteral()}`;
    if (form === "in") return `principal in ${this.#entityLiteral()}`;
    if (form === "is") return `principal is ${this.#type()}`;
    return form === "" ? "principal" : `principal is ${this.#type()} in ${this.#entityLiteral()}`;
  }

  #actionScope(): string {
    const form = this.pick(["", "", "==", "in", "in", "list"]);
    if (form === "==") return 'action == Action::"lab.act"';
    if (form === "in") return `action in ${this.#actionLiteral()}`;
    return form === "" ? "action" : `action in [${this.#actionLiteral()}, ${this.#actionLiteral()}]`;
  }

  #resourceScope(): string {
    return this.pick([
      "resource",
      "resource",
      "resource",
      "resource is Tenant",
      'resource == Tenant::"acme"',
    ]);
  }

  #type(): string {
    return this.pick(["Agent", "Agent", "Person", "Service", "Tenant", "Group", "Action", "Other::Type"]);
  }

  #actionLiteral(): string {
    return formatEntity(
      "Action",
      this.pick(["lab.act", "lab.act", "effect:write", "risk:high", "unattended"]),
    );
  }

  #entityLiteral(): string {
    const type = this.#type();
    if (type === "Action") return this.#actionLiteral();
    if (type === "Tenant") return formatEntity(type, this.pick(["acme", "other"]));
    return formatEntity(type, this.pick(type === "Group" ? groupNames : principalNames));
  }

  /** Generates an expression of this kind, or sometimes of another, so that type errors occur too. */
  #expression(wanted: Kind, depth: number): string {
    const kind = this.chance(0.03) ? this.pick(kinds) : wanted;
    if (depth > 0 && this.chance(0.06))
      return `(if ${this.#expression("bool", depth - 1)} then ${this.#expression(kind, depth - 1)} else ${this.#expression(kind, depth - 1)})`;
    if (depth > 0 && this.chance(0.04))
      return `({ ${quoteCedar(this.pick(nastyTexts))}: ${this.#expression(kind, 0)}, "v": ${this.#expression(kind, depth - 1)} }).v`;
    return this.#generators[kind](depth);
  }

  readonly #generators: Readonly<Record<Kind, (depth: number) => string>> = {
    bool: (depth) => this.#bool(depth),
    long: (depth) => this.#long(depth),
    text: () => this.#text(),
    set: (depth) => this.#set(depth),
    entity: () => this.#entity(),
    record: (depth) => this.#record(depth),
  };

  #bool(depth: number): string {
    const of = (kind: Kind) => this.#expression(kind, depth - 1);
    if (depth <= 0) return this.pick(["true", "false", this.#input("bool"), this.#has()]);
    const forms: readonly (() => string)[] = [
      () => `(${of("bool")} && ${of("bool")})`,
      () => `(${of("bool")} || ${of("bool")})`,
      () => `(!${of("bool")})`,
      () => `(${of("long")} ${this.pick(["<", "<=", ">", ">="])} ${of("long")})`,
      () => `(${of("long")} ${this.pick(["==", "!="])} ${of("long")})`,
      () => this.#equality(depth),
      () => `(${of("text")} == ${of("text")})`,
      () => `(${of("text")} like ${this.#pattern()})`,
      () => `(${of("entity")} in ${this.chance(0.6) ? of("entity") : this.#entitySet()})`,
      () => `(principal in ${formatEntity("Group", this.pick(groupNames))})`,
      () => `(${of("entity")} is ${this.#type()})`,
      () => `(${of("entity")} is ${this.#type()} in ${of("entity")})`,
      () => `${of("set")}.contains(${of(this.pick(["text", "text", "long", "entity", "record"]))})`,
      () => `${of("set")}.${this.pick(["containsAll", "containsAny"])}(${of("set")})`,
      () => `${of("set")}.isEmpty()`,
      () => `context.evidence.discharged.contains("${this.pick(policyIds)}")`,
      () => this.#has(),
      () => this.#guarded(),
      () => this.#guarded(),
    ];
    return this.chance(0.01) ? this.#extension() : this.pick(forms)();
  }

  #equality(depth: number): string {
    const kind = this.pick(kinds);
    const other = this.chance(0.9) ? kind : this.pick(kinds);
    return `(${this.#expression(kind, depth - 1)} ${this.pick(["==", "!="])} ${this.#expression(other, depth - 1)})`;
  }

  #has(): string {
    const name = this.pick([...Object.values(inputFields).flat(), "missing"]);
    return this.pick([
      `(context.input has ${formatAttributeName(name)})`,
      "(context has preview)",
      "(context has preview.rows)",
      "(context has input.customer.age)",
      "(principal has owner)",
      "(context has missing.part)",
      `(${this.#entity()} has onBehalfOf)`,
    ]);
  }

  /** Generates a test of an optional attribute as authors write it. */
  #guarded(): string {
    return this.pick([
      "(context has preview && context.preview.changes > 1)",
      '(context has preview && context.preview.targets.contains("a"))',
      "(context has preview && context.preview has rows && context.preview.rows > 5)",
      `(principal has owner && principal.owner == ${formatEntity("Person", this.pick(principalNames))})`,
      '(context.input has "if" && context.input.cents * 2 > context.input["if"])',
      "(context.input.customer has age && context.input.customer.age >= 18)",
      "(context.env.hour < 6 || context.env.weekday > 5)",
    ]);
  }

  #long(depth: number): string {
    const of = () => this.#expression("long", depth - 1);
    const leaves = [this.pick(longs), this.pick(longs.slice(0, 7)), this.#input("long"), "context.env.at"];
    if (depth <= 0 || this.chance(0.5)) return this.pick([...leaves, "context.input.cents"]);
    return this.chance(0.15) ? `(-${of()})` : `(${of()} ${this.pick(["+", "-", "*"])} ${of()})`;
  }

  #text(): string {
    const literal = quoteCedar(this.pick(nastyTexts));
    return this.pick([literal, literal, this.#input("text"), this.#input("text"), "context.capability"]);
  }

  #set(depth: number): string {
    if (this.chance(0.6))
      return this.pick([
        this.#input("set"),
        "context.input.tags",
        "context.evidence.discharged",
        "context.preview.targets",
      ]);
    const kind = this.chance(0.85) ? this.pick(kinds) : undefined;
    const count = Math.floor(this.#random.chance() * 4);
    const member = () => this.#expression(kind ?? this.pick(kinds), Math.min(depth - 1, 1));
    return `[${Array.from({ length: count }, member).join(", ")}]`;
  }

  #entity(): string {
    return this.pick([
      "principal",
      "principal",
      "action",
      "resource",
      "principal.owner",
      this.#entityLiteral(),
    ]);
  }

  #entitySet(): string {
    return `[${Array.from({ length: 1 + Math.floor(this.#random.chance() * 3) }, () => this.#entity()).join(", ")}]`;
  }

  #record(depth: number): string {
    const literal = () => {
      const names = new Set([this.pick(nastyTexts), "country"]);
      return `{ ${[...names].map((name) => `${quoteCedar(name)}: ${this.#expression(this.pick(kinds), Math.min(depth - 1, 1))}`).join(", ")} }`;
    };
    return this.chance(0.4) ? literal() : this.pick(["context", "context.input", "context.input.customer"]);
  }

  #input(kind: keyof typeof inputFields): string {
    return `context.input${formatAttribute(this.pick(inputFields[kind]))}`;
  }

  /** Generates a pattern from a text, in which wildcards replace or follow some characters. */
  #pattern(): string {
    const parts = [""];
    for (const character of this.pick(nastyTexts)) {
      if (this.chance(0.7)) parts.push(`${parts.pop()}${character}`);
      if (this.chance(0.4)) parts.push("");
    }
    return formatPattern(...parts);
  }

  /** Generates a test that only Cedar can evaluate. */
  #extension(): string {
    return this.pick([
      'decimal("1.5").lessThan(decimal("2.0"))',
      'ip("10.0.0.1").isInRange(ip("10.0.0.0/8"))',
      'principal.hasTag("a")',
      'datetime("2026-11-18") < datetime("2026-11-19")',
    ]);
  }
}
