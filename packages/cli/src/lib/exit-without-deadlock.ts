// V8 compiles functions in a background thread. If this thread waits for a garbage collection while `process.exit` waits
// for the thread, the process never ends. It was seen with Node 24.21. V8 therefore compiles in the main thread.
import { setFlagsFromString } from "node:v8";

setFlagsFromString("--no-concurrent-sparkplug");
