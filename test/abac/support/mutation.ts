import fc from 'fast-check';

/** Under mutation testing the same cases come every time, and a failure is not made smaller: it only has to be seen. */
fc.configureGlobal({ seed: 20_260_321, endOnFailure: true });
