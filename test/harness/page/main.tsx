import '../../../renderer/state/strictPolicy.ts'
import { SECRET_KEY } from '../../../core/contract/webSession.ts'
import { mount } from '../../../renderer/app/mount.tsx'
import { client } from '../../../renderer/state/client.ts'

// The choice of story takes the place of web mode's secret: a page sends nothing else along with its socket.
localStorage.setItem(SECRET_KEY, encodeURIComponent(location.search || '?'))
mount(client())
