import { readAs } from './jsonReader.ts'
import { readAnything, readLong, readText, readTexts, readTime, type Read } from './jsonValues.ts'
import type { Condition, ManagedFields, ObjectMeta, OwnerReference } from './objects.ts'

/** `metadata` as every kind has it. What the console has no use for is checked for its type and dropped. */
export const readMetadata: Read<ObjectMeta> = readAs((members) => {
  // A cluster-scoped object has no namespace: the server drops the one that is given.
  members.check('namespace', readText)
  members.check('selfLink', readText)
  members.check('deletionTimestamp', readTime)
  members.check('deletionGracePeriodSeconds', readLong)
  return {
    name: members.text('name'),
    ...members.someText('generateName'),
    ...members.someText('uid'),
    ...members.someText('resourceVersion'),
    ...members.given('generation', readLong),
    ...members.someMap('labels', readTexts),
    ...members.someMap('annotations', readTexts),
    ...members.given('creationTimestamp', readTime),
    ...members.someList('finalizers', readText),
    ...members.someList('ownerReferences', readOwner),
    ...members.someList('managedFields', readManagedFields),
  }
})

const readOwner: Read<OwnerReference> = readAs((members) => ({
  apiVersion: members.text('apiVersion'),
  kind: members.text('kind'),
  name: members.text('name'),
  uid: members.text('uid'),
  ...members.givenFlag('controller'),
  ...members.givenFlag('blockOwnerDeletion'),
}))

const readManagedFields: Read<ManagedFields> = readAs((members) => {
  members.check('apiVersion', readText)
  members.check('fieldsType', readText)
  return {
    ...members.someText('manager'),
    ...members.someText('operation'),
    ...members.someText('subresource'),
    ...members.given('time', readTime),
    ...members.given('fieldsV1', readAnything),
  }
})

/** `status`, which is the same for both kinds. The server ignores it in objects that are written. */
export const readStatus: Read<{ readonly conditions?: readonly Condition[] }> = readAs((members) =>
  members.someList('conditions', readCondition),
)

const readCondition: Read<Condition> = readAs((members) => ({
  type: members.text('type'),
  status: members.text('status'),
  ...members.given('lastTransitionTime', readTime),
  ...members.someText('reason'),
  ...members.someText('message'),
}))
