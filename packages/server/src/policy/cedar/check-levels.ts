/** The names of the check levels, each including the checks of the one before. */
export const checkLevelNames = ["basic", "standard", "thorough"] as const;
/** The name of a check level. */
export type CheckLevel = (typeof checkLevelNames)[number];

/** The names of the checks that each level includes. */
export type CheckLevels = Readonly<Record<CheckLevel, readonly string[]>>;

const basic = ["check.secrets", "check.syntax"];
const standard = [...basic, "check.recipients", "check.links", "check.size", "check.rate"];

/** Only `thorough` uses a model. A model costs money and seconds, and exists only if it is configured. */
export const defaultCheckLevels: CheckLevels = {
  basic,
  standard,
  thorough: [...standard, "check.review", "check.claims"],
};
