//! Compiled languages: one small source each, and its outline.

use super::check;

#[cfg(feature = "lang-rust")]
#[test]
fn rust_is_outlined() {
    check(
        "rust",
        r##"
//! A file.
use std::fmt;
use crate::{a::B, c};
pub use self::d::E;
mod d;
extern crate core;

/// A point. In space.
#[derive(Debug)]
pub struct Point<T> {
    pub x: T,
}
pub struct Meters(pub f64);
struct Unit;
pub(crate) enum Kind { A, B }
/// Longest.
pub const MAX: usize = 10;
static TABLE: &[&str] = &[
    "a",
];
pub type Pair = (u8, u8);

impl<T> Point<T> {
    /// Makes one.
    #[must_use]
    pub fn new(
        x: T, // first
        y: T,
    ) -> Self
    where
        T: Copy,
    {
        fn inner() {}
        inner();
        Point { x }
    }
    fn hidden(&self) {}
}
impl<T> fmt::Display for Point<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { write!(f, "") }
}
pub trait Shape {
    fn area(&self) -> f64;
    fn name(&self) -> String { String::new() }
}
#[macro_export]
macro_rules! twice { ($e:expr) => { $e; $e } }
pub async unsafe fn run() {}
#[cfg(test)]
mod tests {
    #[test]
    fn works() {}
}
"##,
        r##"
+ struct Point: pub struct Point<T> [8<10-12]
+ struct Meters: pub struct Meters(pub f64) [13]
- struct Unit: struct Unit [14]
+ enum Kind: pub(crate) enum Kind [15]
+ constant MAX: pub const MAX: usize = 10 [16<17]
- variable TABLE: static TABLE: &[&str] [18-20]
+ type Pair: pub type Pair = (u8, u8) [21]
+ impl Point: impl<T> Point<T> [23-38]
  + method new: pub fn new(x: T, y: T) -> Self where T: Copy [24<26-36]
  - method hidden: fn hidden(&self) [37]
+ impl Point: impl<T> fmt::Display for Point<T> [39-41]
  - method fmt: fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result [40]
+ trait Shape: pub trait Shape [42-45]
  + method area: fn area(&self) -> f64 [43]
  + method name: fn name(&self) -> String [44]
+ macro twice: macro_rules! twice [46<47]
+ function run: pub async unsafe fn run() [48]
- module tests: mod tests [49<50-53]
  - function works: fn works() [51<52]
imports std::fmt crate::a::B crate::c ^self::d::E mod d core
exports Point Meters Kind MAX Pair Shape twice run
references std Self Copy inner Point Display Formatter Result write String new
"##,
    );
}

#[cfg(feature = "lang-go")]
#[test]
fn go_is_outlined() {
    check(
        "go",
        r##"
// Package shop sells.
package shop

import (
	"fmt"
	str "strings"
)

// Limit is the most.
const Limit = 10
const (
	A, B = iota, 2
	c = 3
)
var ErrGone = errors.New("gone")
// Cart holds items.
type Cart[T any] struct {
	Items []T
}
type Store interface {
	Get(key string) (int, error)
}
type ID = string
type handler func(int) error
// Add adds
// an item.
func (c *Cart[T]) Add(item T, n int) error {
	f := func() {}
	return fmt.Errorf("x")
}
func (s *store) Get() {}
func New(opts ...Option) *Cart { return &Cart{} }
func private() {}
"##,
        r##"
+ constant Limit: const Limit = 10 [9<10]
+ constant A: const A, B = iota, 2 [12]
- constant c: const c = 3 [13]
+ variable ErrGone: var ErrGone = errors.New("gone") [15]
+ struct Cart: type Cart[T any] struct [16<17-19]
+ interface Store: type Store interface [20-22]
  + method Get: Get(key string) (int, error) [21]
+ type ID: type ID = string [23]
- type handler: type handler func(int) error [24]
+ method Add: func (c *Cart[T]) Add(item T, n int) error [25<27-30]
- method Get: func (s *store) Get() [31]
+ function New: func New(opts ...Option) *Cart [32]
- function private: func private() [33]
imports fmt strings
exports Limit A ErrGone Cart Store ID Add New
references New any error int string string error int Cart error int Errorf store Cart Option
"##,
    );
}

#[cfg(feature = "lang-java")]
#[test]
fn java_is_outlined() {
    check(
        "java",
        r##"
package a.b;
import java.util.List;
import static java.lang.Math.max;
import java.io.*;
/** A shop. Sells. */
@Entity(name = "x")
public class Shop<T extends Item> extends Base implements Store {
    public static final int MAX = 10;
    private int x;
    public Shop(int x) { this.x = x; }
    /** Gets x. */
    @Override
    public int getX() { return helper(x); }
    protected void half(List<String> a, int... b) throws IOException {}
    void packaged() {}
    private void hidden() {}
    public enum Color { RED; public int v() { return 1; } }
}
interface Store { int get(String key); default void put() {} }
record Point(int x, int y) {}
"##,
        r##"
+ class Shop: public class Shop<T extends Item> extends Base implements Store [5<7-18]
  + constant MAX: public static final int MAX = 10 [8]
  + method Shop: public Shop(int x) [10]
  + method getX: public int getX() [11<13]
  + method half: protected void half(List<String> a, int... b) throws IOException [14]
  - method packaged: void packaged() [15]
  - method hidden: private void hidden() [16]
  + enum Color: public enum Color [17]
    + method v: public int v() [17]
- interface Store: interface Store [19]
  - method get: int get(String key) [19]
  - method put: default void put() [19]
- struct Point: record Point(int x, int y) [20]
imports java.util.List java.lang.Math.max java.io
exports Shop
references Base Item Store helper IOException List String String
"##,
    );
}

#[cfg(feature = "lang-c")]
#[test]
fn c_is_outlined() {
    check(
        "c",
        r##"
#include <stdio.h>
#include "shop.h"
#define MAX 10
#define SQUARE(x) ((x) * (x))
/* A point. */
struct point { int x; };
typedef struct { int y; } Pair;
typedef unsigned long size;
typedef int (*callback)(void *, int);
enum color { RED, GREEN };
static int hidden(void) { return 1; }
/** Adds. */
int add(int a, int b)
{
    return helper(a) + b;
}
char *name(const char *s);
struct point *make(int x) { return 0; }
int counter = 3;
"##,
        r##"
+ constant MAX: #define MAX 10 [3]
+ macro SQUARE: #define SQUARE(x) [4]
+ struct point: struct point [5<6]
+ type Pair: typedef struct Pair [7]
+ type size: typedef unsigned long size [8]
+ type callback: typedef int (*callback)(void *, int) [9]
+ enum color: enum color [10]
- function hidden: static int hidden(void) [11]
+ function add: int add(int a, int b) [12<13-16]
+ function name: char *name(const char *s) [17]
+ function make: struct point *make(int x) [18]
+ variable counter: int counter = 3 [19]
imports <stdio.h> shop.h
exports MAX SQUARE point Pair size callback color add name make counter
references helper point
"##,
    );
}

#[cfg(feature = "lang-cpp")]
#[test]
fn cpp_is_outlined() {
    check(
        "cpp",
        r##"
#pragma once
#include <vector>
#include "a.h"
namespace shop {
/// A cart.
template <typename T>
class Cart : public Base<T> {
public:
    Cart(int x) : x_(x), y_(2) {}
    virtual ~Cart();
    int size() const;
    const T& at(int i) const { return items[i]; }
    static Cart make();
private:
    void hidden();
    int x_;
};
struct Point { int x; double len() const; };
enum class Color { Red };
using Id = long;
template <typename T>
T max(T a, T b) { return a > b ? a : b; }
int Cart::size() const { return std::max(1, 2); }
}
static void local() {}
inline bool operator==(const A& a, const B& b) { return true; }
"##,
        r##"
+ module shop: namespace shop [4-24]
  + class Cart: template <typename T> class Cart : public Base<T> [5<6-17]
    + method Cart: Cart(int x) [9]
    + method ~Cart: virtual ~Cart() [10]
    + method size: int size() const [11]
    + method at: const T& at(int i) const [12]
    + method make: static Cart make() [13]
    - method hidden: void hidden() [15]
  + struct Point: struct Point [18]
    + method len: double len() const [18]
  + enum Color: enum class Color [19]
  + type Id: using Id = long [20]
  + function max: template <typename T> T max(T a, T b) [21-22]
  + function size: int Cart::size() const [23]
+ function local: static void local() [25]
+ function operator==: inline bool operator==(const A& a, const B& b) [26]
imports <vector> a.h
exports shop Cart Point Color Id max size local operator==
references Base Cart max
"##,
    );
}

#[cfg(feature = "lang-csharp")]
#[test]
fn csharp_is_outlined() {
    check(
        "csharp",
        r##"
using System;
using System.Linq;
using static System.Math;
using X = System.Text;
namespace Shop.Core;
/// <summary>
/// A cart.
/// </summary>
[Serializable]
public class Cart<T> : Base, IStore where T : new()
{
    public const int Max = 10;
    private int x;
    public int Count { get; private set; }
    public string Name => "x";
    public Cart(int x) : base(x) { }
    [Obsolete]
    public async Task<int> GetAsync(string key, int n = 1) { return Helper(n); }
    protected void Half() {}
    private void Hidden() {}
    public int Twice() => 2;
}
public interface IStore { int Get(string key); }
public record Point(int X, int Y);
public enum Color { Red }
public delegate void Handler(int x);
internal static class Ext {}
"##,
        r##"
+ module Shop.Core: namespace Shop.Core [5]
+ class Cart: public class Cart<T> : Base, IStore where T : new() [6<10-22]
  + constant Max: public const int Max = 10 [12]
  + property Count: public int Count [14]
  + property Name: public string Name [15]
  + method Cart: public Cart(int x) [16]
  + method GetAsync: public async Task<int> GetAsync(string key, int n = 1) [17<18]
  + method Half: protected void Half() [19]
  - method Hidden: private void Hidden() [20]
  + method Twice: public int Twice() [21]
+ interface IStore: public interface IStore [23]
  + method Get: int Get(string key) [23]
+ struct Point: public record Point(int X, int Y) [24]
+ enum Color: public enum Color [25]
+ type Handler: public delegate void Handler(int x) [26]
- class Ext: internal static class Ext [27]
imports System System.Linq System.Math System.Text
exports Shop.Core Cart IStore Point Color Handler
references Base IStore Helper Task
"##,
    );
}
