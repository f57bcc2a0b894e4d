import { LoginStore } from "../login/login-store.ts";

/** A process of its own that has the login to itself, has changed it, and never says that it is done. */
const [folder = ""] = process.argv.slice(2);
await new LoginStore({ folder, adapter: "srv" }).withLock(async (login, keep) => {
  keep({ ...login!, accessToken: "half done" });
  process.stdout.write("held\n");
  await new Promise((resolve) => setTimeout(resolve, 600_000));
});
