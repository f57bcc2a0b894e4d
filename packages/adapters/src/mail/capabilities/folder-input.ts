import { z } from "zod";

/** The schema of an input that names a folder. */
export const folderInput = z
  .string()
  .regex(/^[^\p{C}*%]{1,200}$/u, "must be the name of a folder, such as `INBOX`")
  .overwrite((name) => (name.toUpperCase() === "INBOX" ? "INBOX" : name.normalize("NFC")))
  .describe("name of a folder, such as `INBOX`");
