import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire'
import { isList, isMap, type Json, type JsonMap } from '../../core/manifest/json.ts'

interface Field {
  readonly number: number
  /** Name in the JSON. */
  readonly name: string
  /** `string`, `double`, `bool`, or the name of a message. */
  readonly type: string
  readonly repeated: boolean
}

const camelCase = (name: string): string => name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())

const MESSAGE = /^message (\w+) \{([^}]*)\}/gm
const FIELD = /^ +(optional|repeated) (\w+) (\w+) = (\d+)(?: \[json_name = "(\w+)"\])?;/gm
const RPC = /rpc (\w+)\((\w+)\) returns \((stream )?(\w+)\);/g
/** Messages are nested less deep than this; otherwise the stack would be the limit. */
const MOST_NESTED = 16

/** Messages and methods as a proto file describes them, in the part of its language that `etcdqospb.ts` uses. */
export class ProtoFile {
  readonly rpcs: ReadonlyMap<string, { readonly input: string; readonly output: string; readonly stream: boolean }>
  readonly #messages: ReadonlyMap<string, readonly Field[]>

  constructor(text: string) {
    this.rpcs = new Map(
      Array.from(text.matchAll(RPC), ([, name = '', input = '', stream, output = '']) => [
        name,
        { input, output, stream: stream !== undefined },
      ]),
    )
    this.#messages = new Map(
      Array.from(text.matchAll(MESSAGE), ([, name = '', body = '']) => [
        name,
        Array.from(body.matchAll(FIELD), ([, label, type = '', field = '', number, json]) => ({
          number: Number(number),
          name: json ?? camelCase(field),
          type,
          repeated: label === 'repeated',
        })),
      ]),
    )
  }

  /** Members that the message does not have, and members of another type, are omitted. */
  encode(message: string, value: JsonMap): Uint8Array {
    const writer = new BinaryWriter()
    for (const field of this.#fieldsOf(message)) {
      const given = value[field.name] ?? null
      for (const one of field.repeated && isList(given) ? given : [given]) this.#write(writer, field, one)
    }
    return writer.finish()
  }

  /** Throws for bytes that are not such a message. Unknown fields are skipped. */
  decode(message: string, bytes: Uint8Array, depth = 0): JsonMap {
    if (depth > MOST_NESTED) throw new RangeError('The message is nested too deep.')
    const reader = new BinaryReader(bytes)
    const fields = new Map(this.#fieldsOf(message).map((field) => [field.number, field]))
    const value: Record<string, Json> = {}
    while (reader.pos < reader.len) {
      const [number, type] = reader.tag()
      const field = fields.get(number)
      if (field === undefined) {
        reader.skip(type, number)
        continue
      }
      if (type !== wireTypeOf(field)) throw new TypeError(`The field ${field.name} has another type.`)
      const one = this.#read(reader, field, depth)
      const before = value[field.name]
      value[field.name] = field.repeated ? [...(before !== undefined && isList(before) ? before : []), one] : one
    }
    return value
  }

  #fieldsOf(message: string): readonly Field[] {
    const fields = this.#messages.get(message)
    if (fields === undefined) throw new Error(`there is no message ${message}`)
    return fields
  }

  #write(writer: BinaryWriter, field: Field, value: Json): void {
    const tagged = (): BinaryWriter => writer.tag(field.number, wireTypeOf(field))
    if (field.type === 'string' && typeof value === 'string') tagged().string(value)
    else if (field.type === 'double' && typeof value === 'number') tagged().double(value)
    else if (field.type === 'bool' && typeof value === 'boolean') tagged().bool(value)
    else if (this.#messages.has(field.type) && isMap(value)) tagged().bytes(this.encode(field.type, value))
  }

  #read(reader: BinaryReader, { type }: Field, depth: number): Json {
    switch (type) {
      case 'string':
        return reader.string()
      case 'double':
        return reader.double()
      case 'bool':
        return reader.bool()
      default:
        return this.decode(type, reader.bytes(), depth + 1)
    }
  }
}

function wireTypeOf({ type }: Field): WireType {
  if (type === 'double') return WireType.Bit64
  return type === 'bool' ? WireType.Varint : WireType.LengthDelimited
}
