import { LoginStore } from "../login/login-store.ts";

/** A separate process that locks the login, changes it, and never commits. */
const [folder = ""] = process.argv.slice(2);
await new LoginStore({ folder, adapter: "srv" }).withLock(async (login, keep) => {
  keep({ ...login!, accessToken: "half done" });
  process.stdout.write("held\n");
  await new Promise((resolve) => setTimeout(resolve, 600_000));
});
