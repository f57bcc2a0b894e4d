export const checkLevelNames = ["basic", "standard", "thorough"] as const;
export type CheckLevel = (typeof checkLevelNames)[number];

/** The checks that a level stands for, by their capabilities' names. */
export type CheckLevels = Readonly<Record<CheckLevel, readonly string[]>>;

const basic = ["check.secrets", "check.syntax"];
const standard = [...basic, "check.recipients", "check.links", "check.size", "check.rate"];

/** Only `thorough` asks a model, which costs money and seconds and exists only where one is configured. */
export const defaultCheckLevels: CheckLevels = {
  basic,
  standard,
  thorough: [...standard, "check.review", "check.claims"],
};
