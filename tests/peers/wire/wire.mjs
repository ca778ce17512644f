// Compares the room wire with other implementations of its standards, in both directions: @hpke/core for HPKE (RFC
// 9180) and @cloudflare/blindrsa-ts for blind signatures (RFC 9474).
//
//     node wire.mjs WIRE_PEER      the program that wire_peer.cc makes
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { webcrypto } from "node:crypto";
import { RSABSSA } from "@cloudflare/blindrsa-ts";
import { Chacha20Poly1305 } from "@hpke/chacha20poly1305";
import { CipherSuite, DhkemX25519HkdfSha256, HkdfSha256 } from "@hpke/core";

globalThis.crypto ??= webcrypto;

const peer = spawn(process.argv[2], { stdio: ["pipe", "pipe", "inherit"] });
const answers = createInterface({ input: peer.stdout })[Symbol.asyncIterator]();
const hex = (bytes) => Buffer.from(bytes).toString("hex") || "-";
const random = (size) => crypto.getRandomValues(new Uint8Array(size));

// Returns the results of one operation of the peer, or null if it refused.
async function muster(operation, ...bytes) {
  peer.stdin.write([operation, ...bytes.map(hex)].join(" ") + "\n");
  const { value, done } = await answers.next();
  assert(!done, `${operation}: the peer ended`);
  if (value === "refused") return null;
  return value.split(" ").map((text) => new Uint8Array(Buffer.from(text === "-" ? "" : text, "hex")));
}

const suite = new CipherSuite({ kem: new DhkemX25519HkdfSha256(), kdf: new HkdfSha256(), aead: new Chacha20Poly1305() });

async function hpke(size) {
  const secret = random(32), info = random(size % 40), aad = random(size % 50), plain = random(size);
  const [publicBytes] = await muster("hpke-public", secret);
  const publicKey = await suite.kem.deserializePublicKey(publicBytes.buffer);
  const privateKey = await suite.kem.deserializePrivateKey(secret.buffer);
  // The other implementation seals, and muster opens.
  const theirs = await suite.seal({ recipientPublicKey: publicKey, info }, plain, aad);
  const sealed = Buffer.concat([Buffer.from(theirs.enc), Buffer.from(theirs.ct)]);
  assert.deepEqual(await muster("hpke-open", secret, info, aad, sealed), [plain]);
  sealed[sealed.length - 1] ^= 1;
  assert.equal(await muster("hpke-open", secret, info, aad, sealed), null);
  // Muster seals, and the other implementation opens.
  const [ours] = await muster("hpke-seal", publicBytes, info, aad, plain);
  const opened = await suite.open({ recipientKey: privateKey, enc: ours.slice(0, 32).buffer, info },
                                  ours.slice(32).buffer, aad);
  assert.deepEqual(new Uint8Array(opened), plain);
  await assert.rejects(suite.open({ recipientKey: privateKey, enc: ours.slice(0, 32).buffer, info },
                                  ours.slice(32).buffer, random(size % 50 + 1)));
}

const blindRsa = RSABSSA.SHA384.PSS.Deterministic();

async function blindSignatures() {
  const pair = await blindRsa.generateKey({ publicExponent: Uint8Array.from([1, 0, 1]), modulusLength: 2048 });
  const secret = new Uint8Array(await crypto.subtle.exportKey("pkcs8", pair.privateKey));
  const [publicBytes] = await muster("rsa-public", secret);
  const message = random(98);
  // The other implementation asks, muster signs, and both verify.
  const blinded = await blindRsa.blind(pair.publicKey, message);
  const [answer] = await muster("rsa-sign", secret, blinded.blindedMsg);
  const signature = await blindRsa.finalize(pair.publicKey, message, answer, blinded.inv);
  assert.deepEqual(await muster("rsa-verify", publicBytes, message, signature), [Uint8Array.from([1])]);
  assert.deepEqual(await muster("rsa-verify", publicBytes, random(98), signature), [Uint8Array.from([0])]);
  // Muster asks, the other implementation signs, and both verify.
  const [request, unblinding] = await muster("rsa-blind", publicBytes, message);
  const signed = await blindRsa.blindSign(pair.privateKey, request);
  const [ours] = await muster("rsa-finalize", publicBytes, message, signed, unblinding);
  assert(await blindRsa.verify(pair.publicKey, ours, message));
  assert.equal(await muster("rsa-finalize", publicBytes, random(98), signed, unblinding), null);
}

const kSizes = [0, 1, 16, 17, 65, 1000, 40000];
for (const size of kSizes) await hpke(size);
const kKeys = 3;
for (let key = 0; key < kKeys; ++key) await blindSignatures();
console.log(`HPKE: ${kSizes.length} messages in each direction; blind signatures: ${kKeys} keys, in each direction`);
peer.stdin.end();
