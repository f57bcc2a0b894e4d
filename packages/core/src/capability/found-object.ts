import { z } from "zod";

const foundObject = z.object({
  label: z.string().min(1).max(600).describe("one line by which people tell the object from others"),
  day: z.iso.date().optional().describe("the day of the object, to which a time without a day belongs"),
  input: z.record(z.string(), z.string()).describe("the fields of the input that name the object"),
});

/** The output of a capability that finds objects by a description in words, such as `tomorrow's review`. */
export const foundObjects = z.object({
  objects: z.array(foundObject),
  cut: z.boolean().describe("whether more objects fit than the output lists"),
});

/** An object that fits a description. */
export type FoundObject = z.output<typeof foundObject>;
