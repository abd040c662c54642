/** The next message of a child process. Rejects when the child ends without one, so that nobody waits in vain. */
export function messageFrom(child) {
  return new Promise((resolve, reject) => {
    const settle = (outcome, value) => {
      child.off('message', onMessage).off('exit', onExit);
      outcome(value);
    };
    const onMessage = (message) => settle(resolve, message);
    const onExit = (code, signal) => settle(reject, new Error(`${child.spawnargs[1]} ended with ${signal ?? code}`));
    child.on('message', onMessage).on('exit', onExit);
  });
}
