// Loaded before node:test, which follows each promise to the test that made it. That takes a fifth of the time of a process
// with many files. Only to blame a test for an error that nobody caught needs it. Without it the whole process fails, and its
// output shows the error. `test` and `describe` find their suite by the call that they are in.
import hooks from "node:async_hooks";

const { createHook } = hooks;
hooks.createHook = (callbacks) => createHook({ ...callbacks, trackPromises: false });
