import './state/strictPolicy.ts'
import { mount } from './app/mount.tsx'
import { client } from './state/client.ts'

mount(client())
