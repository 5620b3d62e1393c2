import { ensureBuilt } from '../../main/bootstrap/build.mjs'

/** Tests of commands run the built command line, wherever they are started from. */
export default ensureBuilt
