//! Scripting languages: one small source each, and its outline.

use super::check;

#[cfg(feature = "lang-python")]
#[test]
fn python_is_outlined() {
    check(
        "python",
        r##"
"""Module."""
import os, sys as system
from a.b import c, d as e
from .. import util
from .x import *
__all__ = ["load", "Store"]
LIMIT: int = 3
_cache = {}
@decorate(
    1
)
def load(path: str, *, deep=False) -> dict[str, int]:
    """Loads a file. Slowly."""
    def inner(): pass
    return parse(path)
async def other(): ...
class Store(Base, metaclass=Meta):
    """Keeps things."""
    size = 3
    def __init__(self, x: int = 1):
        self.x = x
    @property
    def value(self) -> int:
        return self.x
    def _hidden(self): pass
if True:
    def late(): pass
"##,
        r##"
- constant LIMIT: LIMIT: int = 3 [7]
+ function load: def load(path: str, *, deep=False) -> dict[str, int]: [9<12-15]
- function other: async def other(): [16]
+ class Store: class Store(Base, metaclass=Meta): [17-25]
  + method __init__: def __init__(self, x: int = 1): [20-21]
  + method value: def value(self) -> int: [22<23-24]
  - method _hidden: def _hidden(self): [25]
- function late: def late(): [27]
imports os sys a.b(c,d) ..(util) .x(*)
exports load Store
references int decorate int str parse Base int property int
"##,
    );
}

#[cfg(feature = "lang-javascript")]
#[test]
fn javascript_is_outlined() {
    check(
        "javascript",
        r##"
'use strict';
const path = require('path');
/** Runs. */
exports.run = function () {};
function a() {}
class B { m(x, y = 1) {} static s() {} }
module.exports = { a, B, c: 1 };
(function () { function hidden() { } var q = 1; })();
export function* gen() { yield 1 }
export default class extends B { k() {} }
"##,
        r##"
- constant path: const path [2]
+ function a: export function a() [5]
+ class B: export class B [6]
  + method m: m(x, y) [6]
  + method s: s() [6]
- function hidden: function hidden() [8]
+ function gen: export function gen() [9]
+ class default: export class default [10]
  + method k: k() [10]
imports ~path
exports run a B c gen default
references require
"##,
    );
}

#[cfg(feature = "lang-typescript")]
#[test]
fn typescript_is_outlined() {
    check(
        "typescript",
        r##"
import fs, { readFile as rf, type Stats } from 'node:fs';
import type { A } from "./a.js";
import './side.js';
import x = require("legacy");
export * from './all';
export * as ns from './ns';
export { b, c as d } from './b';
export type { T } from './t';
/** Adds. Numbers. */
export async function add(a: number, b?: string, c = 3, ...rest: number[]): Promise<number> { return 1; }
export const arrow = async <T>(x: T, { y, z }: Opts): Promise<void> => {};
export const LIMIT: number = 3, OTHER = 4;
let counter = 0;
const local = () => 1;
function exportedLater(q): void {}
export { exportedLater, counter as count };
@Component({ a: 1 })
export class Store<T> extends Base<T> implements I {
  private x = 1;
  constructor(private readonly a: string) { super(); }
  public get(key: string): T | undefined { return new Map(); }
  private hidden() {}
  protected half() {}
  #secret() {}
  static make(): Store<any> { return null; }
  handler = (e: Event) => { go(e); };
}
export abstract class Shape { abstract area(): number; }
export interface Opts extends A { y: number; run(a: string): void }
export type Mode = 'a' | 'b';
export enum Color { Red }
export namespace N { export function inside() {} }
declare module 'foo' { export function bar(): void }
declare const VERSION: string;
export default function main() { const m = import('./lazy'); }
const y = require('./cjs');
function over(a: string): void;
"##,
        r##"
+ function add: export async function add(a: number, b: string, c, ...rest: number[]): Promise<number> [9<10]
+ function arrow: export async function arrow(x: T, { y, z }: Opts): Promise<void> [11]
+ constant LIMIT: export const LIMIT: number [12]
+ constant OTHER: export const OTHER [12]
+ variable counter: export let counter [13]
- function local: function local() [14]
+ function exportedLater: export function exportedLater(q): void [15]
+ class Store: export class Store<T> extends Base<T> implements I [17<18-27]
  + method constructor: constructor(a: string) [20]
  + method get: get(key: string): T | undefined [21]
  - method hidden: hidden() [22]
  - method half: half() [23]
  - method #secret: #secret() [24]
  + method make: make(): Store<any> [25]
  + method handler: handler(e: Event) [26]
+ class Shape: export abstract class Shape [28]
  + method area: area(): number [28]
+ interface Opts: export interface Opts extends A [29]
  + method run: run(a: string): void [29]
+ type Mode: export type Mode = 'a' | 'b' [30]
+ enum Color: export enum Color [31]
+ module N: export namespace N [32]
  + function inside: export function inside() [32]
- module 'foo': declare module 'foo' [33]
  - function bar: function bar(): void [33]
- constant VERSION: const VERSION: string [34]
+ function main: export function main() [35]
- constant y: const y [36]
- function over: function over(a: string): void [37]
imports node:fs(readFile,Stats,fs) ./a.js(A) ./side.js legacy ^./all ^./ns ^./b ^./t ~./lazy ~./cjs
exports * ns b d T add arrow LIMIT OTHER exportedLater count Store Shape Opts Mode Color N inside default main
references Promise Opts Promise Component Base Map Store Event go require
"##,
    );
}

#[cfg(feature = "lang-ruby")]
#[test]
fn ruby_is_outlined() {
    check(
        "ruby",
        r##"
require 'json'
require_relative 'lib/a'
# A shop.
module Shop
  MAX = 10
  # A cart.
  class Cart < Base
    attr_reader :x
    def initialize(x, y: 1)
      @x = x
    end
    def self.make; new(1); end
    def size = 3
    private def one
    end
    private
    def hidden(a)
      helper(a)
    end
  end
end
def top
  puts 1
end
"##,
        r##"
+ module Shop: module Shop [3<4-21]
  + constant MAX: MAX = 10 [5]
  + class Cart: class Cart < Base [6<7-20]
    + method initialize: def initialize(x, y: 1) [9-11]
    + method make: def self.make [12]
    + method size: def size [13]
    - method one: private def one [14-15]
    - method hidden: def hidden(a) [17-19]
+ function top: def top [22-24]
imports json ./lib/a
exports Shop MAX Cart top
references require require_relative Base attr_reader new private helper puts
"##,
    );
}

#[cfg(feature = "lang-php")]
#[test]
fn php_is_outlined() {
    check(
        "php",
        r##"
<?php
namespace App\Models;
use App\Base;
use App\{A, B as C};
require_once 'lib.php';
const LIMIT = 3;
/** A cart. */
#[Entity]
final class Cart extends Base implements Store {
    public const MAX = 10;
    private int $x;
    public function __construct(private int $y) {}
    /** Gets. */
    public function get(string $key, ?int $n = null): ?string { return helper($key); }
    protected function half() {}
    private function hidden() {}
    static function make(): self { return new self(1); }
}
interface Store { public function get(string $key); }
trait T { function t() {} }
enum Suit: string { case A = 'a'; }
function top(array $a): void { $f = function() {}; }
"##,
        r##"
+ module App\Models: namespace App\Models [2]
+ constant LIMIT: const LIMIT = 3 [6]
+ class Cart: final class Cart extends Base implements Store [7<9-18]
  + constant MAX: public const MAX = 10 [10]
  + method __construct: public function __construct(private int $y) [12]
  + method get: public function get(string $key, ?int $n = null): ?string [13<14]
  - method half: protected function half() [15]
  - method hidden: private function hidden() [16]
  + method make: static function make(): self [17]
+ interface Store: interface Store [19]
  + method get: public function get(string $key) [19]
+ trait T: trait T [20]
  + method t: function t() [20]
+ enum Suit: enum Suit: string [21]
+ function top: function top(array $a): void [22]
imports App\Base App\A App\B lib.php
exports App\Models LIMIT Cart Store T Suit top
references Base Store helper self
"##,
    );
}

#[cfg(feature = "lang-bash")]
#[test]
fn bash_is_outlined() {
    check(
        "bash",
        r##"
#!/bin/bash
. ./lib.sh
source "$DIR/other.sh"
LIMIT=10
export PATH_X="a"
# Says hello.
hello() {
  local x=1
  echo "hi"
}
function _hidden {
  hello
}
main() ( hello )
"##,
        r##"
+ variable LIMIT: LIMIT=10 [4]
+ variable PATH_X: export PATH_X="a" [5]
+ function hello: hello() [6<7-10]
- function _hidden: function _hidden [11-13]
+ function main: main() [14]
imports ./lib.sh $DIR/other.sh
exports LIMIT PATH_X hello main
references source echo hello hello
"##,
    );
}

#[cfg(feature = "lang-lua")]
#[test]
fn lua_is_outlined() {
    check(
        "lua",
        r##"
local json = require("json")
local M = {}
local LIMIT = 10
-- Adds.
function M.add(a, b)
  return helper(a)
end
function M:method(x) return self.x end
local function hidden() end
M.sub = function(a) return a end
local anon = function(q) end
function top() end
return M
"##,
        r##"
- variable json: local json = require("json") [1]
- variable M: local M = {} [2]
- variable LIMIT: local LIMIT = 10 [3]
+ function add: function M.add(a, b) [4<5-7]
+ function method: function M:method(x) [8]
- function hidden: local function hidden() [9]
+ function sub: M.sub = function(a) [10]
- function anon: local anon = function(q) [11]
+ function top: function top() [12]
imports json
exports add method sub top
references require helper
"##,
    );
}
