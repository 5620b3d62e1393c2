import '../../../renderer/state/strictPolicy.ts'
import { SECRET_KEY } from '../../../core/contract/webSession.ts'
import { mount } from '../../../renderer/app/mount.tsx'
import { client } from '../../../renderer/state/client.ts'

// Which story is told goes where the secret of web mode would: it is all that a page sends along with its socket.
localStorage.setItem(SECRET_KEY, encodeURIComponent(location.search || '?'))
mount(client())
