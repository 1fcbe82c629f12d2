import type { Signatures } from './signatures.ts'

/** Hash functions. */
export const HASH_FUNCTIONS: Signatures = {
  MD5: 'text -> text',
  SHA1: 'text -> text',
  SHA256: 'text -> text',
  SHA512: 'text -> text',
  cityHash64: 'any... -> number',
  sipHash64: 'any... -> number',
  farmHash64: 'any... -> number',
  xxHash32: 'any... -> number',
  xxHash64: 'any... -> number',
  murmurHash2_64: 'any... -> number',
  murmurHash3_64: 'any... -> number',
  murmurHash3_128: 'any... -> text',
  halfMD5: 'any... -> number',
  intHash32: 'integer -> number',
  intHash64: 'integer -> number',
  javaHash: 'text -> number',
  CRC32: 'text -> number',
}
